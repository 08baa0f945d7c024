// The texts that are seen and whose contrast (WCAG 2) with what is behind them is less than `least`: (least, within) => ["3.2 text …"]
(least, within) => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const colour = (css) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = css;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ratio = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const parents = (element) => (element ? [...parents(element.parentElement), element] : []);

    // A diagram's text lies on its state's shape; all else on the grounds of what it is in.
    const layers = (element) => parents(element).flatMap((each) => {
        const style = getComputedStyle(each);
        const shape = each.matches('g.state') && each.querySelector('path, polygon, rect, ellipse');
        const fill = shape && getComputedStyle(shape);
        const filled = fill && fill.fill !== 'none' ? colour(fill.fill) : null;
        if (filled) filled[3] *= Number(fill.fillOpacity);
        return [colour(style.backgroundColor), ...(filled ? [filled] : [])];
    });
    const page = colour(getComputedStyle(document.documentElement).colorScheme && matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#fff');

    const found = [];
    const walker = document.createTreeWalker(document.querySelector(within), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || !element.checkVisibility({ opacityProperty: true }) || element.closest(':disabled, .unseen, option')) continue;
        const style = getComputedStyle(element);
        const behind = layers(element).reduce((below, layer) => over(layer, below), page);
        const text = colour(element.closest('svg') ? style.fill : style.color);
        text[3] *= parents(element).reduce((all, each) => all * Number(getComputedStyle(each).opacity), 1);
        const has = ratio(over(text, behind), behind);
        if (has < least) found.push(`${has.toFixed(2)} ${node.textContent.trim().slice(0, 40)} <${element.localName} class="${element.getAttribute('class') ?? ''}">`);
    }
    return [...new Set(found)];
}
