package brig.loadtests.report;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a command of the load tests speaks: its result as text or as JSON, its progress, and what is wrong with its options. */
public final class Console {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    /** Whether the result is wanted as JSON. */
    public boolean isJson() {
        return json;
    }

    /** Where the result goes. */
    public PrintStream out() {
        return out;
    }

    /** A line of the result. */
    public void say(String line) {
        out.println(line);
    }

    /** The result as JSON. */
    public void print(JsonObject result) {
        print(Json.write(result));
    }

    /** The result as JSON. */
    public void print(Record result) {
        print(Json.write(result));
    }

    private void print(byte[] json) {
        out.println(new String(json, StandardCharsets.UTF_8));
    }

    /** What is done now, beside the result. */
    public void tell(String what) {
        System.err.println(what);
    }

    /** Refuses a number that is not from 1 to that. */
    public void requireUpTo(int max, String option, int value) {
        if (value < 1 || value > max) {
            throw refusal(option + " is " + value + ": from 1 to " + max);
        }
    }

    /** Wrong usage: exit code 2. */
    public RuntimeException refusal(String why) {
        return spec == null ? new IllegalStateException(why) : new ParameterException(spec.commandLine(), why);
    }
}
