package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** People at the terminal of an agent behind the wall, each on a pseudo-terminal that a terminal model judges. */
@Timeout(240)
@Tag("slow")
class PersonTerminalTest {
    private static final String DETACH = "\u0010\u0011";
    private static final String PICTURE =
            "clear; for i in 1 2 3 4 5 6 7; do printf '\\033[3%dmcolour \\033[1;4m%d\\033[0m \\342\\224\\200 "
                    + "\\344\\270\\226\\n' $i $i; done; printf '\\033[12;20H\\033[7mthere\\033[0m'; echo drawn-$((1+1))\r";

    /** Tells each new size; writes a line at the key w, and ends at q. The reads of bash lose a key that comes as they time out. */
    private static final String SIZES =
            "stty -icanon -echo min 0 time 1; last=; while :; do s=$(stty size); [ \"$s\" = \"$last\" ] || "
                    + "{ last=$s; echo \"size ${s/ /x}\"; }; "
                    + "case $(head -c1) in w) clear; printf 'wide%.0s' {1..20}; echo ;; q) exit 3 ;; esac; done\r";

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of());
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
        }
    }

    private static PersonTerminal open(int cols, int rows, String... arguments) throws IOException {
        return PersonTerminal.open(cols, rows, product.command(arguments));
    }

    private static boolean lives(String taskId) throws IOException {
        return product.brig("sessions", "-q").out().lines().anyMatch(taskId::equals);
    }

    @Test
    void shouldShowSeveralPeopleOneScreenThroughDetachingAndTheGatewaysDeath() throws IOException {
        String seen;
        try (PersonTerminal one = open(100, 30, "run", "--tty", "shell", "--task-id", "shared")) {
            one.awaitText("$");
            one.type(PICTURE);
            one.awaitText("drawn-2");
            one.type("stty size\r");
            seen = one.awaitText("30 100");
            try (PersonTerminal other = open(100, 30, "attach", "--tty", "shared")) {
                other.awaitSameAs(one);
                other.type("echo from-$((2+3))\r");
                one.awaitText("from-5");
                other.awaitSameAs(one);
                product.kill();
                one.awaitText("the connection to the gateway is lost");
                other.awaitText("the connection to the gateway is lost");
                product.serve();
                String before = seen.substring(0, seen.indexOf("30 100"));
                one.await("the screen of before", screen -> screen.startsWith(before) && !screen.contains("is lost"));
                other.awaitSameAs(one);
                one.type("echo back-$((4+4))\r");
                other.awaitText("back-8");
                other.type(DETACH);
                assertEquals(0, other.awaitEnd());
                assertTrue(other.output().contains("detached; the session goes on: brig attach"), other::output);
            }
            seen = one.screen();
            one.type(DETACH);
            assertEquals(0, one.awaitEnd());
        }
        assertTrue(lives("shared"));
        try (PersonTerminal again = open(100, 30, "attach", "--tty", "--detach-keys", "ctrl-]", "shared")) {
            String before = seen;
            again.await("the same screen", before::equals);
            again.type("exit 7\r");
            assertEquals(7, again.awaitEnd());
        }
        Run logs = product.brig("logs", "shared");
        assertTrue(logs.out().contains("from-5\n") && !logs.out().contains("\u001b"), logs::out);
        assertTrue(product.brig("logs", "--raw", "shared").out().contains("\u001b[1;4m"));
    }

    @Test
    void shouldGiveTheAgentTheSizeOfTheWindowAndShowAPartElsewhere() throws IOException {
        try (PersonTerminal one = open(100, 30, "run", "--tty", "shell", "--task-id", "sizes")) {
            one.awaitText("$");
            one.type(SIZES);
            one.awaitText("size 30x100");
            one.resize(90, 20);
            one.awaitText("size 20x90");
            try (PersonTerminal small = open(40, 10, "attach", "--tty", "sizes")) {
                small.awaitText("the agent's terminal is 90x20, this one");
                one.type("w");
                small.awaitText("wide".repeat(10));
                small.type(" ");
                one.awaitText("size 10x40");
                one.resize(91, 21);
                one.type(" ");
                one.awaitText("size 21x91");
                small.type(DETACH);
                assertEquals(0, small.awaitEnd());
            }
            one.type("q");
            assertEquals(3, one.awaitEnd());
        }
    }

    @Test
    void shouldLetNothingThroughThatDoesNotDraw() throws IOException {
        try (PersonTerminal one = open(80, 24, "run", "--tty", "shell")) {
            one.awaitText("$");
            one.type(
                    "printf '\\033]52;c;cm0=\\007\\033]0;title\\007\\033[6n\\033[c\\033[>c\\033]11;?\\007\\033[?1049h\\033[?1003h"
                            + "\\033[>1u\\033[?25l'; echo quiet-$((1+1)); exec sleep 600\r");
            one.awaitText("quiet-2");
            String all = one.output();
            for (String sequence : List.of("]52", "]0;", "[6n", "[c", "[>c", "]11")) {
                assertFalse(all.contains("\u001b" + sequence), all);
            }
            one.clients().forEach(ProcessHandle::destroy);
            assertEquals(143, one.awaitEnd());
        }
    }

    @Test
    void shouldRefuseWithoutATerminal() throws IOException {
        for (String[] arguments : new String[][] {{"run", "--tty", "shell"}, {"attach", "--tty", "any"}}) {
            Run run = product.brig(arguments);
            assertEquals(2, run.exitCode());
            assertTrue(run.err().contains("--tty needs a terminal, and standard input is none"), run::err);
        }
    }

    @Test
    void shouldRefuseASessionThatHasNoTerminalBeforeItTakesTheScreen() throws IOException {
        Spawned idle = product.idle("lines");
        try (PersonTerminal one = open(100, 30, "attach", "--tty", "lines")) {
            assertEquals(125, one.awaitEnd());
            assertTrue(one.screen().contains("the session has no terminal"), one::screen);
            assertTrue(one.output().contains("brig attach"), one::output);
        }
        product.ask("{\"action\":\"terminate\",\"id\":\"" + idle.id() + "\"}");
    }

    @Test
    void shouldShowTheOverviewAndAttachFromThere() throws IOException {
        Spawned idle = product.idle("idle-one");
        try (PersonTerminal started = open(100, 30, "run", "--tty", "shell", "--task-id", "from-there")) {
            started.awaitText("$");
            try (PersonTerminal one = open(100, 30)) {
                one.awaitText("> ");
                one.awaitText("idle-one");
                one.awaitText("from-there");
                one.type("j");
                one.await(
                        "the other one is chosen",
                        screen ->
                                screen.lines().anyMatch(line -> line.startsWith("> ") && line.contains("from-there")));
                one.type("\r");
                one.await("the agent's terminal", screen -> screen.contains("$") && !screen.contains("Enter attach"));
                one.type("echo seen-$((3+3))\r");
                started.awaitText("seen-6");
                one.type(DETACH);
                one.awaitText("Enter attach");
                one.type("q");
                assertEquals(0, one.awaitEnd());
            }
            started.type("exit\r");
            assertEquals(0, started.awaitEnd());
        }
        product.ask("{\"action\":\"terminate\",\"id\":\"" + idle.id() + "\"}");
    }
}
