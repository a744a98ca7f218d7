package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceProfileTest {
    private static ServiceProfile on(Integer... ports) {
        return new ServiceProfile(List.of("/bin/server"), "", Map.of(), List.of(ports), List.of(), 1000);
    }

    private static String refusal(Runnable made) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, made::run).getMessage());
    }

    @Test
    void shouldRefuseWhatNoServerCanBeStartedWith() {
        assertEquals(
                "command: must name a program",
                refusal(() -> new ServiceProfile(List.of(), "", Map.of(), List.of(5000), List.of(), 1000)));
        assertEquals(
                "command: must name a program",
                refusal(() -> new ServiceProfile(List.of(""), "", Map.of(), List.of(5000), List.of(), 1000)));
        assertEquals("ports: must be some from 1024 to 65535", refusal(() -> on()));
        assertEquals("ports: must be some from 1024 to 65535", refusal(() -> on(80)));
        assertEquals("ports: must be some from 1024 to 65535", refusal(() -> on(5000, 65_536)));
        assertEquals(
                "command",
                refusal(() -> new ServiceProfile(List.of("a\0b"), "", Map.of(), List.of(5000), List.of(), 1000))
                        .substring(0, 7));
        assertEquals(
                "env",
                refusal(() -> new ServiceProfile(List.of("a"), "", Map.of("A=B", "c"), List.of(5000), List.of(), 1000))
                        .substring(0, 3));
        assertEquals(
                "root",
                refusal(() -> new ServiceProfile(List.of("a"), "/srv", Map.of(), List.of(5000), List.of(), 1000))
                        .substring(0, 4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Db", "-db", "db_1", "a-name-of-seventeen", "../db"})
    void shouldRefuseNamesThatCouldMeanSomethingElse(String name) {
        assertEquals(
                "services: '" + name + "' must match [a-z][a-z0-9-]{0,15}",
                refusal(() -> ServiceProfile.require(Map.of(name, on(5000)), Set.of())));
    }

    @Test
    void shouldRefusePortsThatTwoOrTheAgentHave() {
        Map<String, ServiceProfile> both = new LinkedHashMap<>();
        both.put("a", on(5000));
        both.put("b", on(5001, 5000));
        assertEquals("services.b.ports: 5000 is taken already", refusal(() -> ServiceProfile.require(both, Set.of())));
        assertEquals(
                "services.a.ports: 5000 is taken already",
                refusal(() -> ServiceProfile.require(Map.of("a", on(5000)), Set.of(5000))));
        ServiceProfile.require(Map.of("a", on(5000), "b", on(5001)), Set.of(5002));
    }

    @Test
    void shouldBoundServicesAndTheirPorts() {
        Map<String, ServiceProfile> many = new LinkedHashMap<>();
        IntStream.range(0, 9).forEach(i -> many.put("s" + i, on(5000 + i)));
        assertEquals(
                "services: must be at most 8, with 16 ports", refusal(() -> ServiceProfile.require(many, Set.of())));
        many.remove("s8");
        ServiceProfile.require(many, Set.of());
        Integer[] ports = IntStream.range(6000, 6009).boxed().toArray(Integer[]::new);
        many.put("s0", on(ports));
        ServiceProfile.require(many, Set.of());
        many.put("s1", on(7000, 7001));
        assertEquals(
                "services: must be at most 8, with 16 ports", refusal(() -> ServiceProfile.require(many, Set.of())));
    }
}
