package brig.gateway.e2e;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The terminal of an agent on the page, cell by cell: what xterm.js has in its buffers, in the words of
 * {@code TerminalModel.state}. The library is served with a lid around it that keeps the terminals that it makes.
 */
record PageTerminal(Page page) {
    private static final String LID = """
            import * as all from './xterm-itself.js';
            export const {FitAddon, Unicode11Addon} = all;
            export class Terminal extends all.Terminal {
                constructor(options) {
                    super(options);
                    globalThis.newestTerminal = this;
                }
            }
            """;

    private static final String READ = """
            () => {
                const terminal = globalThis.newestTerminal;
                if (!terminal) {
                    return {size: '', cursor: '', main: [], alternate: []};
                }
                const MODE = 0x3000000;
                const colour = (value, base) => {
                    const number = value & 0xffffff;
                    switch (value & MODE) {
                        case 0x1000000:
                            return `;${number < 8 ? base + number : base + 60 + number - 8}`;
                        case 0x2000000:
                            return `;${base + 8};5;${number}`;
                        case 0x3000000:
                            return `;${base + 8};2;${number >> 16};${(number >> 8) & 255};${number & 255}`;
                        default:
                            return '';
                    }
                };
                const pen = (cell) => {
                    const style = cell.isUnderline() ? (cell.hasExtendedAttrs() ? cell.extended.underlineStyle : 1) : 0;
                    return '0' + (cell.isBold() ? ';1' : '') + (cell.isDim() ? ';2' : '') + (cell.isItalic() ? ';3' : '')
                        + (style === 1 ? ';4' : style > 1 ? `;4:${style}` : '') + (cell.isBlink() ? ';5' : '')
                        + (cell.isInverse() ? ';7' : '') + (cell.isInvisible() ? ';8' : '')
                        + (cell.isStrikethrough() ? ';9' : '') + (cell.isOverline() ? ';53' : '')
                        + colour(cell.getFgColorMode() && cell.getFgColorMode() | cell.getFgColor(), 30)
                        + colour(cell.getBgColorMode() && cell.getBgColorMode() | cell.getBgColor(), 40)
                        + (cell.hasExtendedAttrs() ? colour(cell.extended.underlineColor, 50) : '');
                };
                const row = (line) => {
                    const cells = Array.from({length: terminal.cols}, (_, x) => line.getCell(x));
                    let end = cells.length;
                    while (end > 0 && cells[end - 1].getChars() === '' && cells[end - 1].getWidth() === 1
                            && cells[end - 1].getBgColorMode() === 0) {
                        end--;
                    }
                    let text = '';
                    let before = '0';
                    for (const cell of cells.slice(0, end)) {
                        const now = pen(cell);
                        text += now === before ? '' : `⟦${now}⟧`;
                        before = now;
                        text += cell.getWidth() === 0 ? '' : cell.getChars() || '␀';
                    }
                    return text;
                };
                const {active, alternate, normal} = terminal.buffer;
                const rows = (buffer) => Array.from({length: buffer.baseY + terminal.rows}, (_, y) => row(buffer.getLine(y)));
                return {
                    size: `${terminal.cols}x${terminal.rows}`,
                    cursor: `${active.cursorX},${active.cursorY}`,
                    main: rows(normal),
                    alternate: active === alternate ? rows(alternate) : [],
                };
            }
            """;

    /** Opens the page of a session as {@code brig open} does. */
    static PageTerminal open(Chromium chromium, Spawned spawned, Browser.NewContextOptions options) throws IOException {
        PageTerminal terminal = new PageTerminal(chromium.page(options));
        terminal.page.route(
                "**/vendor/xterm.js",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/javascript")
                        .setBody(LID)));
        terminal.page.route(
                "**/vendor/xterm-itself.js",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setResponse(route.fetch(new Route.FetchOptions()
                                .setUrl(route.request().url().replace("-itself", ""))))));
        terminal.page.navigate(
                spawned.product().ask("{\"action\":\"open\"}").text("url", "") + "/session/" + spawned.id());
        return terminal;
    }

    /** All that it has. */
    TerminalCells cells() {
        Map<?, ?> read = (Map<?, ?>) page.evaluate(READ);
        return new TerminalCells(
                String.valueOf(read.get("size")),
                String.valueOf(read.get("cursor")),
                rows(read.get("main")),
                rows(read.get("alternate")));
    }

    private static List<String> rows(Object read) {
        return ((List<?>) read).stream().map(String::valueOf).toList();
    }

    /** Waits for that text on its screen. */
    TerminalCells awaitText(String text) throws IOException {
        return cellsWhen(text, cells -> cells.text().contains(text));
    }

    /** Waits until it is like that. */
    TerminalCells cellsWhen(String what, Predicate<TerminalCells> isSo) throws IOException {
        Await.until(what + " on the page", () -> isSo.test(cells()));
        return cells();
    }

    void type(String keys) {
        page.keyboard().type(keys);
    }
}
