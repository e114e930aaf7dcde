/*
 * data.js - reads the numbers of the page. A "member" is what has tables: a run, or a worker of a
 * run. A "group" is one curve: a case with its runs, or one worker.
 */
const FIRST_METRICS = ["test_accuracy", "test_loss"];

function readData() {
    return JSON.parse(document.getElementById("data").textContent);
}

function columnOf(table, name) {
    const column = table[name];

    if (!column || Array.isArray(column))
        return column || null;
    return table.round.map((round) => round * column.times);
}

function hasValues(values) {
    return values.some((value) => value !== null);
}

function* tablesOf(groups) {
    for (const group of groups)
        for (const member of group.members)
            yield* member.tables;
}

/* Metrics with at least one value, in the order of their first row; the usual first ones first. */
function metricNames(groups) {
    const names = new Set();

    for (const table of tablesOf(groups))
        for (const [name, values] of Object.entries(table.metrics))
            if (!names.has(name) && hasValues(values))
                names.add(name);
    return [...names].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(metric) {
    const rank = FIRST_METRICS.indexOf(metric);

    return rank < 0 ? FIRST_METRICS.length : rank;
}

function isUsed(column) {
    return Boolean(column) && (Array.isArray(column) ? column.some((value) => value > 0) : column.times > 0);
}

/* The axes that some table has, with more than zeros. */
function axisNames(groups) {
    const names = new Set();

    for (const table of tablesOf(groups))
        for (const name of AXES)
            if (!names.has(name) && isUsed(table[name]))
                names.add(name);
    return AXES.filter((name) => names.has(name));
}

/* The table with the quantity: for a counter the one with the most rows. */
function tableWith(member, quantity) {
    if (!AXES.includes(quantity))
        return member.tables.find((table) => quantity in table.metrics) || null;
    return member.tables.reduce((best, table) =>
        table[quantity] && (!best || table.round.length > best.round.length) ? table : best, null);
}

/* Pairs in ascending x; of several with the same x the last counts. */
function ascending(x, y) {
    let pairs = x.map((value, i) => [value, y[i]]);

    if (x.some((value, i) => i > 0 && value < x[i - 1]))
        pairs.sort((a, b) => a[0] - b[0]);
    if (x.some((value, i) => i > 0 && value === x[i - 1]))
        pairs = pairs.filter((pair, i) => i + 1 === pairs.length || pair[0] !== pairs[i + 1][0]);
    return { x: pairs.map((pair) => pair[0]), y: pairs.map((pair) => pair[1]) };
}

function isAscending(x) {
    for (let i = 1; i < x.length; i++)
        if (x[i] <= x[i - 1])
            return false;
    return true;
}

/* The points of a member: quantity against axis, without missing values. Null if it has none. */
function memberCurve(member, quantity, axis, isLogX, smoothing) {
    const table = tableWith(member, quantity);
    const column = table && columnOf(table, axis);
    const values = table && (AXES.includes(quantity) ? columnOf(table, quantity) : table.metrics[quantity]);
    const x = [], y = [];

    if (!column || !values)
        return null;
    for (let i = 0; i < values.length; i++) {
        if (values[i] !== null && column[i] !== null && (!isLogX || column[i] > 0)) {
            x.push(column[i]);
            y.push(values[i]);
        }
    }
    if (x.length === 0)
        return null;
    const curve = isAscending(x) ? { x, y } : ascending(x, y);

    return { x: curve.x, y: smooth(curve.y, smoothing) };
}

/* Where on the axis a member's best validation was. Null if that is not known. */
function bestPosition(member, quantity, axis) {
    const table = tableWith(member, quantity);
    const column = table && columnOf(table, axis);

    if (!column || member.bestRound === null || member.bestRound === undefined)
        return null;
    return interpolate(table.round, column, member.bestRound);
}

/* A case is everything but the seed. Cases without runs are left out. */
function caseGroups(data) {
    const groups = data.cases.map((item) => ({
        name: item.name, algorithm: item.algorithm || "", settings: item.settings || {}, members: [],
    }));

    for (const run of data.runs) {
        if (groups[run.case]) {
            groups[run.case].members.push({
                name: run.name, repetition: run.repetition, state: run.state, bestRound: run.best_round, tables: run.tables || [],
            });
        }
    }
    return groups.filter((group) => group.members.length > 0);
}

function workerGroups(run) {
    return (run.workers || []).map((item) => ({
        name: "worker " + item.worker,
        algorithm: "",
        settings: {},
        members: [{ name: "worker " + item.worker, bestRound: null, tables: item.tables || [] }],
    }));
}
