/*
 * chart.js - a chart on the screen, drawn by dygraphs. Labels of series are neutral ("s0"), because
 * dygraphs puts labels into HTML.
 */
const BAND_OPACITY = 0.16;

function seriesName(index) {
    return "s" + index;
}

function bandPoint(line, row, floor) {
    const y = line.y[row];

    if (y === null || (floor !== null && y <= 0))
        return null;
    const low = line.low && line.low[row] !== null ? line.low[row] : y;
    const high = line.high && line.high[row] !== null ? line.high[row] : y;

    return [floor === null ? low : Math.max(low, floor), y, high];
}

/* Rows of dygraphs: x, then a value per line, or low, value and high where there are bands. */
function chartRows(drawing, hasBands) {
    const floor = drawing.choice.isLogY ? logFloor(drawing) : null;

    return Array.from(drawing.x, (x, row) => [x, ...drawing.lines.map((line) =>
        (hasBands ? bandPoint(line, row, floor) : line.y[row]))]);
}

function seriesOptions(drawing, palette) {
    const series = {};

    drawing.lines.forEach((line, i) => {
        series[seriesName(i)] = {
            color: palette.fills[line.group.colour],
            strokeWidth: line.width,
            strokePattern: line.group.dash.length && !line.isSeed ? line.group.dash : null,
            fillAlpha: line.isSeed ? 0 : BAND_OPACITY,
            drawPoints: line.hasDots,
            pointSize: DOT_SIZE,
            highlightCircleSize: line.isSeed ? 0 : 3,
        };
    });
    return series;
}

function tickerOf(name, isLog, pixelsPerTick) {
    return (low, high, pixels) => axisTicks(low, high, pixels / pixelsPerTick, isLog, name);
}

function drawMark(context, x, y, size, colour, paper) {
    context.beginPath();
    context.moveTo(x, y - size);
    context.lineTo(x + size, y);
    context.lineTo(x, y + size);
    context.lineTo(x - size, y);
    context.closePath();
    context.fillStyle = colour;
    context.strokeStyle = paper;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
}

/* Pixels from the left edge; dygraphs' own toDomXCoord takes every x axis as linear. */
function pixelX(graph, x) {
    const area = graph.getArea();

    return area.x + graph.toPercentXCoord(x) * area.w;
}

/* A plugin of dygraphs: marks lie over the lines. */
function marksPlugin(drawing, palette) {
    return {
        toString: () => "marks",
        activate: () => ({
            didDrawChart: ({ dygraph, drawingContext }) => {
                for (const mark of drawing.marks) {
                    drawMark(drawingContext, pixelX(dygraph, mark.x), dygraph.toDomYCoord(mark.y), mark.size,
                        palette.fills[mark.group.colour], palette.paper);
                }
            },
        }),
    };
}

/* Dragging zooms, a double click resets. Touches are the browser's: a tap shows values, and a page
 * can be scrolled over a chart. */
function mouseModel() {
    const { mousedown, dblclick } = Dygraph.defaultInteractionModel;

    return { mousedown, dblclick, willDestroyContextMyself: true };
}

/* A range with a width, also around a single value. */
function widened([low, high], isLog) {
    if (high > low)
        return [low, high];
    return isLog ? [low / 2, low * 2] : [low - 0.5, low + 0.5];
}

class Chart {
    /* events: hover(row or null), zoom({x, y} or null). */
    constructor(box, events) {
        this.box = box;
        this.events = events;
        this.plot = element("div", { class: "chart-plot" });
        this.crosshair = element("div", { class: "chart-crosshair", hidden: true });
        this.box.append(this.plot, this.crosshair);
        this.graph = null;
        new ResizeObserver(() => {
            if (this.graph && this.plot.clientWidth > 0)
                this.graph.resize();
        }).observe(this.plot);
    }

    clear() {
        if (this.graph)
            this.graph.destroy();
        this.graph = null;
        this.crosshair.hidden = true;
    }

    draw(drawing, yWindow) {
        this.clear();
        this.drawing = drawing;
        if (drawing.lines.length > 0)
            this.graph = new Dygraph(this.plot, ...this.dygraphArguments(drawing, yWindow));
    }

    dygraphArguments(drawing, yWindow) {
        const { choice } = drawing, palette = readPalette(this.box);
        const hasBands = drawing.lines.some((line) => line.low && line.low.some((value) => value !== null));

        return [chartRows(drawing, hasBands), {
            labels: ["x", ...drawing.lines.map((_, i) => seriesName(i))],
            series: seriesOptions(drawing, palette),
            customBars: hasBands,
            connectSeparatedPoints: true,
            legend: "never",
            dateWindow: choice.window,
            valueRange: yWindow,
            axes: this.axisOptions(choice),
            axisLabelFontSize: 12,
            axisLineColor: palette.line,
            gridLineColor: palette.line,
            gridLineWidth: 0.5,
            rightGap: 14,
            pointSize: DOT_SIZE,
            interactionModel: mouseModel(),
            plugins: [marksPlugin(drawing, palette)],
            highlightCallback: (event, x, points, row) => this.hover(x, row),
            unhighlightCallback: () => this.leave(),
            zoomCallback: (low, high, yRanges) => this.zoomed(low, high, yRanges),
        }];
    }

    axisOptions(choice) {
        const isNarrow = this.plot.clientWidth < 480;

        return {
            x: { logscale: choice.isLogX, ticker: tickerOf(choice.axis, choice.isLogX, isNarrow ? 60 : 80) },
            y: { logscale: choice.isLogY, ticker: tickerOf(choice.quantity, choice.isLogY, 40), axisLabelWidth: 52 },
        };
    }

    hover(x, row) {
        this.crosshair.hidden = false;
        this.crosshair.style.left = pixelX(this.graph, x) + "px";
        this.events.hover(row);
    }

    leave() {
        this.crosshair.hidden = true;
        this.events.hover(null);
    }

    zoomed(low, high, yRanges) {
        const isZoomedX = this.graph.isZoomed("x"), isZoomedY = this.graph.isZoomed("y");

        this.events.zoom(isZoomedX || isZoomedY
            ? { x: isZoomedX ? [low, high] : null, y: isZoomedY ? [...yRanges[0]] : null } : null);
    }

    ranges() {
        const { choice } = this.drawing;

        return { x: widened(this.graph.xAxisRange(), choice.isLogX), y: widened(this.graph.yAxisRange(), choice.isLogY) };
    }

    /* Makes the lines of a group wider; null: none. */
    emphasize(group) {
        if (!this.graph || this.drawing.lines.length > 100)
            return;
        const series = {};

        this.drawing.lines.forEach((line, i) => {
            series[seriesName(i)] = { strokeWidth: line.group === group ? line.width + 1.5 : line.width };
        });
        this.graph.updateOptions({ series });
    }
}
