/*
 * statistics.js - the interval of a mean, and exponential smoothing.
 */

/* P(|T| <= t) of Student's distribution; angle = atan(t / sqrt(degrees)). The series is finite
 * (Abramowitz and Stegun 26.7.3, 26.7.4). */
function studentWithin(angle, degrees) {
    const sine = Math.sin(angle), square = Math.cos(angle) ** 2;
    const isOdd = degrees % 2 === 1;
    let term = isOdd ? Math.cos(angle) : 1, sum = 0;

    for (let k = isOdd ? 3 : 2; k <= degrees; k += 2) {
        sum += term;
        term *= square * (k - 1) / k;
    }
    return isOdd ? 2 / Math.PI * (angle + sine * sum) : sine * sum;
}

const studentQuantiles = new Map();

/* t with P(|T| <= t) = 0.95. */
function studentQuantile(degrees) {
    if (!studentQuantiles.has(degrees)) {
        let low = 0, high = Math.PI / 2;

        for (let i = 0; i < 60; i++) {
            const middle = (low + high) / 2;

            if (studentWithin(middle, degrees) < 0.95)
                low = middle;
            else
                high = middle;
        }
        studentQuantiles.set(degrees, Math.sqrt(degrees) * Math.tan((low + high) / 2));
    }
    return studentQuantiles.get(degrees);
}

/* Half the width of the 95 % interval of the mean of count values; squares: sum of (value - mean)^2. */
function intervalHalf(squares, count) {
    return studentQuantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
}

/* Exponential moving average: m = weight m + (1 - weight) value, without the bias of its start. */
function smooth(values, weight) {
    if (weight === 0)
        return values;
    let moving = 0, rest = 1;

    return values.map((value) => {
        moving = weight * moving + (1 - weight) * value;
        rest *= weight;
        return moving / (1 - rest);
    });
}
