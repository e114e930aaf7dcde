/*
 * save_blob.js - saves bytes as a file.
 */
function saveBlob(blob, name) {
    const url = URL.createObjectURL(blob);
    const link = element("a", { href: url, download: name });

    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}
