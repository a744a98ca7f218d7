package brig.workeragent.profile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import brig.egress.policy.EgressPolicy;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SignedInTest {
    private final AgentProfile profile = JsonObject.read("""
                    {"description": "d", "command": ["agent", "serve"], "models": ["m"], "env": {"KEY": "k", "OTHER": "o"},
                     "tty": {"argv": ["agent", "screen"]},
                     "login": {"env": {"TOKEN": "t"}, "without": ["KEY"], "arguments": ["--signed-in"]}}
                    """.getBytes(UTF_8)).as(AgentProfile.class);

    /** A route of that name, whose secret has that source. */
    private static EgressPolicy route(String name, String source) {
        return JsonObject.read(("""
                {"secrets": {"S": {"%s": "/file"}}, "modelRoutes": {"%s": {"baseUrl": "https://a.test", "secret": "S"}}}
                """.formatted(source, name)).getBytes(UTF_8)).as(EgressPolicy.class);
    }

    @Test
    void shouldStartOtherwiseWithALogin() {
        AgentProfile signedIn = profile.signedIn(route("m", "login"));
        assertEquals(Map.of("TOKEN", "t", "OTHER", "o"), signedIn.env());
        assertEquals(List.of("agent", "serve", "--signed-in"), signedIn.command());
        assertEquals(
                List.of("agent", "screen", "--signed-in"),
                Objects.requireNonNull(signedIn.tty()).argv());
        assertEquals("t", signedIn.onTerminal("agent").env().get("TOKEN"));
        assertEquals(
                List.of("agent", "screen", "--signed-in"),
                signedIn.onTerminal("agent").command());
    }

    @Test
    void shouldStartAsUsualWithAKeyOrWithALoginOfAnotherModel() {
        assertSame(profile, profile.signedIn(route("m", "file")));
        assertSame(profile, profile.signedIn(route("other", "login")));
        assertSame(profile, profile.signedIn(EgressPolicy.NONE));
    }
}
