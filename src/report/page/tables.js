/*
 * tables.js - a click on a heading sorts a table.
 */

/* What a cell sorts by: a number if it is one, else its text; nothing if it is empty. */
function cellKey(row, column) {
    const cell = row.cells[column];
    const text = cell ? (cell.dataset.value ?? cell.textContent).trim() : "";
    const number = Number.parseFloat(text.replace(/^[<>≤≥≈]\s*/, "").replace("−", "-"));

    return { isEmpty: text === "" || text === "–" || text === "-", number, text };
}

function compareKeys(a, b, sign) {
    if (a.isEmpty !== b.isEmpty)
        return a.isEmpty ? 1 : -1;
    const isNumeric = !Number.isNaN(a.number) && !Number.isNaN(b.number);

    return sign * (isNumeric ? a.number - b.number : a.text.localeCompare(b.text, "en", { numeric: true }));
}

function sortTable(table, heading) {
    const body = table.tBodies[0], column = heading.cellIndex;
    const isAscending = heading.getAttribute("aria-sort") !== "ascending";
    const rows = Array.from(body.rows, (row) => ({ row, key: cellKey(row, column) }));

    rows.sort((a, b) => compareKeys(a.key, b.key, isAscending ? 1 : -1));
    body.append(...rows.map((item) => item.row));
    for (const other of heading.parentNode.cells)
        other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
}

function isSortable(table) {
    const cells = Array.from(table.querySelectorAll("tbody th, tbody td"));

    return table.tHead && table.tHead.rows.length > 0 && table.tBodies.length === 1 && table.tBodies[0].rows.length > 1
        && cells.every((cell) => cell.colSpan === 1 && cell.rowSpan === 1);
}

function makeSortable(table) {
    if (!isSortable(table))
        return;
    for (const heading of table.tHead.rows[table.tHead.rows.length - 1].cells) {
        const sort = button("", { class: "sort", title: "Sort by this column", click: () => sortTable(table, heading) });

        sort.append(...heading.childNodes);
        heading.append(sort);
    }
}
