/*
 * files.js - way-points from and to files: text with a pair of numbers in each line, or .npy of
 * NumPy (float64 or float32, n x 2). A closed path repeats its first point at the end.
 */
const NPY_MAGIC = "\x93NUMPY";

function waypointText(rows) {
    return rows.map(([x, y]) => `${x} ${y}\n`).join("");
}

function waypointNpy(rows) {
    let header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows.length}, 2), }`;

    header = header.padEnd(Math.ceil((10 + header.length + 1) / 64) * 64 - 11) + "\n";
    const bytes = new Uint8Array(10 + header.length + 16 * rows.length), view = new DataView(bytes.buffer);

    for (let i = 0; i < NPY_MAGIC.length; i++)
        bytes[i] = NPY_MAGIC.charCodeAt(i);
    bytes[6] = 1;
    view.setUint16(8, header.length, true);
    for (let i = 0; i < header.length; i++)
        bytes[10 + i] = header.charCodeAt(i);
    rows.flat().forEach((value, i) => view.setFloat64(10 + header.length + 8 * i, value, true));
    return bytes;
}

function readText(text) {
    return text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean)
        .map((line) => line.split(/[\s,]+/).map(Number));
}

function readNpy(buffer) {
    const view = new DataView(buffer), bytes = new Uint8Array(buffer), isOld = bytes[6] === 1;
    const length = isOld ? view.getUint16(8, true) : view.getUint32(8, true), begin = (isOld ? 10 : 12) + length;
    const header = String.fromCharCode(...bytes.slice(begin - length, begin));
    const found = /'descr': '<f([48])', 'fortran_order': False, 'shape': \((\d+), 2\)/.exec(header);

    if (!found)
        throw new Error("the array is not n x 2 of float64 or float32");
    const size = Number(found[1]), read = size === 8 ? "getFloat64" : "getFloat32";

    return Array.from({ length: Number(found[2]) }, (_, i) =>
        [0, 1].map((k) => view[read](begin + (2 * i + k) * size, true)));
}

/* Rows of x and y; an Error says what is wrong. */
function readWaypoints(buffer) {
    const bytes = new Uint8Array(buffer);
    const isNpy = [...NPY_MAGIC].every((letter, i) => bytes[i] === letter.charCodeAt(0));
    const rows = isNpy ? readNpy(buffer) : readText(new TextDecoder().decode(buffer));
    const wrong = rows.findIndex((row) => row.length !== 2 || !row.every((value) => Math.abs(value) <= 1));

    if (wrong >= 0)
        throw new Error(`way-point ${wrong + 1} is not two numbers in [-1, 1]`);
    if (rows.length === 0)
        throw new Error("there are no way-points");
    return rows;
}
