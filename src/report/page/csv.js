/*
 * csv.js - the numbers of charts and figures as CSV (RFC 4180). Numbers have the digits that restore
 * the same double.
 */
function csvCell(value) {
    const text = value === null || value === undefined ? "" : String(value);

    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function csvText(rows) {
    return rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");
}

const BAND_NAMES = { interval: ["low of 95 % interval", "high of 95 % interval"], range: ["minimum", "maximum"] };

/* Titles and values of the columns of a line. */
function lineColumns(line, band, hasSeeds) {
    if (line.isSeed || !hasSeeds)
        return [[line.name, line.y]];
    const bounds = band === "none" ? []
        : [[line.name + ": " + BAND_NAMES[band][0], line.low], [line.name + ": " + BAND_NAMES[band][1], line.high]];

    return [[line.name + ": mean", line.y], ...bounds, [line.name + ": seeds", line.count]];
}

function chartCsv(drawing, hasSeeds) {
    const { choice } = drawing;
    const lines = [...drawing.lines].sort((a, b) => a.isSeed - b.isSeed);
    const columns = lines.flatMap((line) => lineColumns(line, choice.band, hasSeeds));

    return csvText([[choice.axis, ...columns.map(([title]) => title)],
        ...Array.from(drawing.x, (x, row) => [x, ...columns.map(([, values]) => values[row])])]);
}

function tableCsv(table) {
    return csvText(Array.from(table.rows, (row) => Array.from(row.cells, (cell) => cell.textContent.trim())));
}
