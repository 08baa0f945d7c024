// @ts-check
// Times as texts, in the unit that matters, and when such a text changes next.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TENTHS_BELOW = 10 * SECOND;

/** @param {number} n */
const two = (n) => String(n).padStart(2, '0');

/** `1:29:05`, `9:12`, `0:21`. Rounded up: the whole length is there at the start, and 0:00 only at the end.
 *  @param {number} ms */
export function clockText(ms) {
    const s = Math.ceil(Math.max(0, ms) / SECOND);
    if (s >= 86400 * 2) return `${Math.floor(s / 86400)} d ${Math.floor(s / 3600) % 24} h`;
    return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

/** `1:29:05`, `29 s`, and tenths under ten seconds: `9.4 s`.
 *  @param {number} ms */
export function leftText(ms) {
    const { figure, unit } = leftFigure(ms);
    return unit ? `${figure} ${unit}` : figure;
}

/** @param {number} ms @returns {{figure: string, unit: string}} */
export function leftFigure(ms) {
    if (ms <= 0) return { figure: '0', unit: 's' };
    if (ms < TENTHS_BELOW) return { figure: (Math.ceil(ms / 100) / 10).toFixed(1), unit: 's' };
    return ms <= MINUTE ? { figure: String(Math.ceil(ms / SECOND)), unit: 's' } : { figure: clockText(ms), unit: '' };
}

/** In how many ms the text of a remaining time changes.
 *  @param {number} ms @param {boolean} [tenths] */
export function untilChange(ms, tenths = true) {
    if (ms <= 0) return Infinity;
    const step = tenths && ms <= TENTHS_BELOW ? 100 : SECOND;
    return ms % step || step;
}

/** `12 s`, `3 m`, `2 h`, `5 d`: how long ago.
 *  @param {number} ms */
export function agoText(ms) {
    if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
    if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`;
    return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}

/** In how many ms `agoText` changes.
 *  @param {number} ms */
export function untilAgo(ms) {
    const step = ms < MINUTE ? SECOND : ms < HOUR ? MINUTE : HOUR;
    return step - (Math.max(0, ms) % step);
}

/** The time in the user's time zone, with the day unless it is today's: `12:04:31`, `Nov 28 12:04:31`.
 *  @param {number} ms */
export function dayTime(ms) {
    const date = new Date(ms);
    const isToday = date.toDateString() === new Date().toDateString();
    const day = isToday ? '' : `${date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })} `;
    return `${day}${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A length in words of the unit that matters: `30 s`, `1 m 30 s`, `250 ms`.
 *  @param {number} ms */
export function lengthText(ms) {
    // Rounded first: 59.96 s are a minute, and no 60 s.
    if (ms < SECOND) ms = Math.round(ms);
    if (ms > 0 && ms < SECOND) return `${ms} ms`;
    ms = Math.round(ms / 100) * 100;
    const parts = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'm']].map(([unit, name]) => {
        const n = Math.floor(ms / Number(unit));
        ms -= n * Number(unit);
        return n ? `${n} ${name}` : '';
    });
    const s = Math.round(ms / 100) / 10;
    return [...parts, s ? `${s} s` : ''].filter(Boolean).slice(0, 2).join(' ') || '0 s';
}
