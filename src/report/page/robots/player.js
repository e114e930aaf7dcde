/*
 * player.js - one slider for the time of all runs, and a button that plays.
 */
const PLAY_SECONDS = 15; /* from the first round to the last */
const TICK_MAX = 0.2; /* seconds: after a pause of the browser it goes on where it was */

class Player {
    constructor(box, views, rounds) {
        this.views = views;
        this.rounds = rounds; /* those in which something changes, in order */
        this.button = button("Play", { class: "small play", click: () => this.toggle() });
        this.slider = element("input", { type: "range", min: 0, max: rounds.length - 1, step: 1, value: rounds.length - 1,
            "aria-label": "round", input: () => this.seek(Number(this.slider.value)) });
        this.output = element("output", {});
        box.prepend(element("div", { class: "robots-controls" }, this.button, this.slider, this.output));
        document.addEventListener("keydown", (event) => this.onKey(event));
        this.show(rounds.length - 1);
    }

    /* --- what is shown --- */

    show(index) {
        this.index = Math.min(this.rounds.length - 1, Math.max(0, index));
        this.slider.value = this.index;
        this.slider.setAttribute("aria-valuetext", "round " + this.rounds[this.index]);
        setText(this.output, "round " + this.rounds[this.index]);
        this.redraw();
    }

    redraw() {
        this.views.forEach((view) => view.show(this.rounds[this.index]));
    }

    seek(index) {
        this.stop();
        this.show(index);
    }

    /* --- playing --- */

    toggle() {
        if (this.isPlaying)
            this.stop();
        else
            this.play();
    }

    stop() {
        this.isPlaying = false;
        setText(this.button, "Play");
    }

    /* From the start, if it is at the end. */
    play() {
        const last = this.rounds.length - 1, span = Math.max(1, this.rounds[last] - this.rounds[0]);
        let round = this.rounds[this.index === last ? 0 : this.index], before = null;
        const tick = (now) => {
            if (!this.isPlaying)
                return;
            round += before === null ? 0 : Math.min(TICK_MAX, (now - before) / 1000) * span / PLAY_SECONDS;
            before = now;
            const next = this.rounds.findIndex((r) => r > round);
            this.show(next < 0 ? last : Math.max(0, next - 1));
            if (next < 0)
                this.stop();
            else
                requestAnimationFrame(tick);
        };

        this.isPlaying = true;
        setText(this.button, "Stop");
        requestAnimationFrame(tick);
    }

    /* The slider has its own arrow keys, and a button its own space. */
    onKey(event) {
        const steps = { ArrowLeft: this.index - 1, ArrowRight: this.index + 1, Home: 0, End: this.rounds.length - 1 };

        if (event.ctrlKey || event.altKey || event.metaKey)
            return;
        if (event.key === " " && event.target.tagName !== "BUTTON")
            this.toggle();
        else if (event.key in steps && event.target !== this.slider)
            this.seek(steps[event.key]);
        else
            return;
        event.preventDefault();
    }
}
