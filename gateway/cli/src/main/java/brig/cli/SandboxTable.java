package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.api.SandboxView;
import java.util.List;
import java.util.Locale;

/** The sandboxes that providers have now, for a person. */
final class SandboxTable {
    private static final List<String> HEAD =
            List.of("SANDBOX", "PROVIDER", "SESSION", "STATE", "AGE", "USD/HOUR", "USD", "");

    private final Terminal terminal;

    SandboxTable(Terminal terminal) {
        this.terminal = terminal;
    }

    void print(SandboxView.SandboxList list) {
        if (!list.sandboxes().isEmpty()) {
            terminal.println("");
            terminal.table(HEAD, list.sandboxes().stream().map(this::row).toList());
        }
        list.unanswered()
                .forEach(provider ->
                        terminal.note("provider " + provider + " does not answer: this is what it showed last"));
    }

    private List<String> row(SandboxView one) {
        String spawnId = one.spawnId();
        return List.of(
                one.name(),
                one.provider(),
                spawnId == null ? (one.foreign() ? "(not ours)" : "(not known)") : spawnId,
                one.state(),
                one.createdMs() == 0 ? "?" : Main.age(one.createdMs()),
                money(one.dollarsPerHour()),
                money(one.dollars()),
                note(one));
    }

    private static String note(SandboxView one) {
        String trouble = one.trouble() == null ? "" : one.trouble();
        if (!one.due()) {
            return trouble;
        }
        String settle = one.settle() == null ? "ends with the next rounds" : "end it: " + one.settle();
        return "should be gone; " + (trouble.isEmpty() ? "" : trouble + "; ") + settle;
    }

    private static String money(double dollars) {
        return dollars == 0 ? "" : String.format(Locale.ROOT, "%.4f", dollars);
    }
}
