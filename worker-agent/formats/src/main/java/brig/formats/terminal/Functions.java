package brig.formats.terminal;

/** What control characters and sequences do on a {@link Display}; unknown ones do nothing. */
final class Functions implements SequenceHandler {
    private static final int TITLE_CHARS_MAX = 256;

    private final Display display;
    private final Answers answers;

    Functions(Display display, Answers answers) {
        this.display = display;
        this.answers = answers;
    }

    @Override
    public void print(char[] text, int from, int to) {
        display.print(text, from, to);
    }

    @Override
    public void execute(char control) {
        display.printed = false;
        switch (control) {
            case '\b' -> display.backspace();
            case '\t' -> display.tab(1);
            case '\n', 0x0b, 0x0c -> display.feedLine();
            case '\r' -> display.cursor.column = 0;
            case 0x0e -> display.cursor.set = 1;
            case 0x0f -> display.cursor.set = 0;
            case 0x84 -> display.index();
            case 0x85 -> nextLine();
            case 0x88 -> display.setTab();
            case 0x8d -> display.reverseIndex();
            default -> {}
        }
    }

    private void nextLine() {
        display.cursor.column = 0;
        display.index();
    }

    @Override
    public void escape(int function) {
        display.printed = false;
        switch (function) {
            case '7' -> display.save();
            case '8' -> display.restore();
            case 'D' -> display.index();
            case 'E' -> nextLine();
            case 'H' -> display.setTab();
            case 'M' -> display.reverseIndex();
            case '=' -> display.modes.add(Mode.KEYPAD);
            case '>' -> display.modes.remove(Mode.KEYPAD);
            case 'c' -> display.reset();
            case 'n' -> display.cursor.set = 2;
            case 'o' -> display.cursor.set = 3;
            default -> {
                int sets = (function >> 8) - '(';
                if (sets >= 0 && sets < display.cursor.sets.length) {
                    char set = (char) (function & 0xff);
                    display.cursor.sets[sets] = set == '0' || set == 'A' ? set : 'B';
                }
            }
        }
    }

    @Override
    public void control(int function, Parameters parameters) {
        int amount = parameters.amount();
        if (function == 'b') {
            display.repeat(amount);
            return;
        }
        display.printed = false;
        switch (function) {
            case '@' -> display.insertCells(amount);
            case 'A' -> display.up(amount);
            case 'B' -> display.down(amount);
            case 'C', 'a' -> display.right(amount);
            case 'D' -> display.right(-amount);
            case 'E' -> {
                display.down(amount);
                display.toColumn(0);
            }
            case 'F' -> {
                display.up(amount);
                display.toColumn(0);
            }
            case 'G', '`' -> display.toColumn(amount - 1);
            case 'H', 'f' -> display.moveTo(Math.max(1, parameters.value(1)) - 1, amount - 1);
            case 'I' -> display.tab(amount);
            case 'J', '?' << 16 | 'J' -> display.eraseInDisplay(parameters.value(0));
            case 'K', '?' << 16 | 'K' -> display.eraseInLine(parameters.value(0));
            case 'L' -> display.insertLines(amount);
            case 'M' -> display.deleteLines(amount);
            case 'P' -> display.deleteCells(amount);
            case 'S' -> display.scrollUp(amount);
            case 'X' -> display.eraseCells(amount);
            case 'Z' -> display.tabBack(amount);
            case 'd' -> display.moveToRow(amount - 1);
            case 'e' -> display.moveToRow(display.row() + amount);
            case 'm' -> display.cursor.pen.select(parameters);
            case 'r' -> display.setMargins(parameters.value(0), parameters.value(1));
            case '!' << 8 | 'p' -> display.resetSoftly();
            case 'h', '?' << 16 | 'h' -> setModes(function, parameters, true);
            case 'l', '?' << 16 | 'l' -> setModes(function, parameters, false);
            default -> {
                if (!controlKeys(function, parameters) && !controlRarely(function, parameters)) {
                    answers.control(function, parameters);
                }
            }
        }
    }

    /** How keys are reported, and the form of the cursor. */
    private boolean controlKeys(int function, Parameters parameters) {
        KeyboardFlags keyboard = display.shown().keyboard;
        switch (function) {
            case ' ' << 8 | 'q' -> {
                if (parameters.value(0) <= 6) {
                    display.cursorForm = parameters.value(0);
                }
            }
            case '>' << 16 | 'm' -> {
                if (parameters.count() == 0 || parameters.value(0) == 4) {
                    display.otherKeys = Math.min(3, parameters.value(1));
                }
            }
            case '>' << 16 | 'u' -> keyboard.push(parameters.value(0));
            case '<' << 16 | 'u' -> keyboard.pop(parameters.amount());
            case '=' << 16 | 'u' -> keyboard.set(parameters.value(0), parameters.value(1));
            default -> {
                return false;
            }
        }
        return true;
    }

    /** What other terminals take for something else if it has other parameters. */
    private boolean controlRarely(int function, Parameters parameters) {
        int count = parameters.count();
        int first = parameters.value(0);
        if (function == 'T' && count <= 1) {
            display.scrollDown(parameters.amount());
        } else if (function == 'g' && (first == 0 || first == 3)) {
            display.clearTabs(first == 3);
        } else if (function == 's' && count == 0) {
            display.save();
        } else if (function == 'u' && count == 0) {
            display.restore();
        } else {
            return false;
        }
        return true;
    }

    private void setModes(int function, Parameters parameters, boolean on) {
        boolean isPrivate = function > 0xffff;
        for (int i = 0; i < parameters.count(); i++) {
            int mode = parameters.value(i);
            if (isPrivate) {
                setPrivateMode(mode, on);
            } else if (mode == 4) {
                display.inserts = on;
            } else if (mode == 20) {
                display.returns = on;
            }
        }
    }

    private void setPrivateMode(int number, boolean on) {
        switch (number) {
            case 9, 1000, 1002, 1003 -> display.mouse = on ? number : 0;
            case 1005, 1006, 1015, 1016 -> display.mouseForm = on ? number : 0;
            case 47, 1047 -> show(on);
            case 1048 -> saveOrRestore(on);
            case 1049 -> {
                if (on) {
                    display.save();
                }
                show(on);
                if (!on) {
                    display.restore();
                }
            }
            default ->
                Mode.of(number).ifPresent(mode -> {
                    if (on) {
                        display.modes.add(mode);
                    } else {
                        display.modes.remove(mode);
                    }
                    if (mode == Mode.ORIGIN) {
                        display.moveTo(0, 0);
                    }
                });
        }
    }

    private void show(boolean alternate) {
        if (alternate) {
            display.showAlternate();
        } else {
            display.showMain();
        }
    }

    private void saveOrRestore(boolean save) {
        if (save) {
            display.save();
        } else {
            display.restore();
        }
    }

    @Override
    public void command(String content) {
        display.printed = false;
        if (content.startsWith("0;") || content.startsWith("2;")) {
            display.title = content.substring(2)
                    .codePoints()
                    .filter(point -> !Character.isISOControl(point)
                            && Character.getType(point) != Character.SURROGATE
                            && Character.getType(point) != Character.FORMAT)
                    .limit(TITLE_CHARS_MAX)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        } else {
            answers.command(content);
        }
    }

    @Override
    public void device(String content) {
        display.printed = false;
        answers.device(content);
    }
}
