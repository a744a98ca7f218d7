package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.config.Config;
import brig.gateway.config.ConfigFile;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The manifests of docs/kubernetes.md: a server of Kubernetes takes them, they agree with each other, and Brig takes its settings. */
class KubernetesManifestsTest {
    private static final Path FOLDER = SourceTree.ROOT.resolve("config/kubernetes");

    @TempDir
    private Path temp;

    private static String text(String file) throws IOException {
        return Files.readString(FOLDER.resolve(file));
    }

    private static List<Map<?, ?>> manifests(String yaml) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        List<Map<?, ?>> manifests = new ArrayList<>();
        new Yaml(new SafeConstructor(options)).loadAll(yaml).forEach(one -> manifests.add((Map<?, ?>) one));
        return manifests;
    }

    private static List<JsonObject> all() throws IOException {
        List<JsonObject> all = new ArrayList<>();
        for (String file : List.of("gateway.yaml", "nats.yaml", "secrets.yaml")) {
            manifests(text(file)).forEach(one -> all.add(JsonObject.of(copy(one))));
        }
        return all;
    }

    @SuppressWarnings("unchecked") // keys of manifests are texts
    private static Map<String, ?> copy(Map<?, ?> manifest) {
        return (Map<String, ?>) manifest;
    }

    private static JsonObject find(String kind, String name) throws IOException {
        return all().stream()
                .filter(one -> kind.equals(one.text("kind"))
                        && name.equals(one.object("metadata").text("name")))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateway.yaml", "nats.yaml", "secrets.yaml"})
    void shouldBeTakenByKubernetes(String file) throws IOException {
        List<Map<?, ?>> manifests = manifests(text(file));
        assertTrue(manifests.size() > 2, "it was read");
        assertEquals(
                "",
                String.join(
                        "\n",
                        manifests.stream()
                                .flatMap(one -> KubernetesSchema.faults(one).stream())
                                .toList()));
    }

    /** That the check finds what a server would refuse. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "replicas: 3|replicsa: 3|StatefulSet.spec has no field replicsa",
                "replicas: 3|replicas: three|StatefulSet.spec.replicas is no java.lang.Integer but java.lang.String",
                "replicas: 3|replicas: [3]|StatefulSet.spec.replicas is no java.lang.Integer but java.util.ArrayList",
                "path: /livez|path: 1|StatefulSet.spec.template.spec.containers[0].startupProbe.httpGet.path is no",
                "mountPath: /var/lib/brig|mount: /var/lib/brig|StatefulSet.spec.template.spec.containers[0].volumeMounts[0] has no",
                "mountPath: /var/lib/brig|subPath: state|StatefulSet.spec.template.spec.containers[0].volumeMounts[0].mountPath is missing",
                "memory: 2Gi|memory: 2 gigabytes|StatefulSet.spec.template.spec.containers[0].resources.limits.memory is no",
                "runAsNonRoot: true|runAsNonRoot: 'true'|StatefulSet.spec.template.spec.securityContext.runAsNonRoot is no",
                "apiVersion: policy/v1|apiVersion: apps/v1|there is no PodDisruptionBudget in apps/v1",
                "maxUnavailable: 1|maxUnavailable: {}|PodDisruptionBudget.spec.maxUnavailable is no",
                "podSelector:|pods:|NetworkPolicy.spec has no field pods"
            })
    void shouldNameWhatAServerWouldRefuse(String right, String wrong, String fault) throws IOException {
        String yaml = text("gateway.yaml");
        assertTrue(yaml.contains(right), right);
        List<String> faults = manifests(yaml.replaceFirst(Pattern.quote(right), wrong)).stream()
                .flatMap(one -> KubernetesSchema.faults(one).stream())
                .toList();
        assertTrue(faults.stream().anyMatch(one -> one.startsWith(fault)), faults::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"brig-gateway", "brig-nats"})
    void shouldMountWhatThereIs(String name) throws IOException {
        JsonObject set = find("StatefulSet", name).object("spec");
        JsonObject pod = set.object("template").object("spec");
        Set<String> volumes = new HashSet<>();
        for (JsonObject volume : pod.objects("volumes")) {
            volumes.add(volume.text("name"));
            if (volume.value("configMap") != null) {
                find("ConfigMap", volume.object("configMap").text("name"));
            }
            if (volume.value("secret") != null) {
                find("Secret", volume.object("secret").text("secretName"));
            }
        }
        set.objects("volumeClaimTemplates")
                .forEach(claim -> volumes.add(claim.object("metadata").text("name")));
        List<JsonObject> containers = Stream.of("initContainers", "containers")
                .filter(list -> pod.value(list) != null)
                .flatMap(list -> pod.objects(list).stream())
                .toList();
        Set<String> mounted = new HashSet<>();
        for (JsonObject container : containers) {
            container.objects("volumeMounts").forEach(mount -> mounted.add(mount.text("name")));
        }
        assertEquals(volumes, mounted);
    }

    /** The level "restricted" of Pod Security Standards, which the namespace enforces. */
    @ParameterizedTest
    @ValueSource(strings = {"brig-gateway", "brig-nats"})
    void shouldNeedNoPrivilege(String name) throws IOException {
        JsonObject pod =
                find("StatefulSet", name).object("spec").object("template").object("spec");
        assertEquals(
                "restricted",
                find("Namespace", "brig")
                        .object("metadata")
                        .object("labels")
                        .text("pod-security.kubernetes.io/enforce"));
        assertTrue(pod.object("securityContext").flag("runAsNonRoot"));
        assertEquals(
                "RuntimeDefault",
                pod.object("securityContext").object("seccompProfile").text("type"));
        for (String list : List.of("initContainers", "containers")) {
            for (JsonObject container : pod.value(list) == null ? List.<JsonObject>of() : pod.objects(list)) {
                JsonObject context = container.object("securityContext");
                assertEquals(Boolean.FALSE, context.value("allowPrivilegeEscalation"), container.text("name"));
                assertEquals(Boolean.TRUE, context.value("readOnlyRootFilesystem"), container.text("name"));
                assertEquals(List.of("ALL"), context.object("capabilities").elements("drop"), container.text("name"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"brig-gateway", "brig-nats"})
    void shouldSelectItsOwnPods(String name) throws IOException {
        JsonObject set = find("StatefulSet", name).object("spec");
        JsonObject labels = set.object("template").object("metadata").object("labels");
        assertEquals(labels, set.object("selector").object("matchLabels"));
        assertEquals(
                labels,
                find("PodDisruptionBudget", name)
                        .object("spec")
                        .object("selector")
                        .object("matchLabels"));
        assertEquals(
                labels,
                find("NetworkPolicy", name).object("spec").object("podSelector").object("matchLabels"));
        assertEquals(
                labels, find("Service", set.text("serviceName")).object("spec").object("selector"));
    }

    @Test
    void shouldHaveSettingsThatBrigTakes() throws IOException {
        String settings = find("ConfigMap", "brig-gateway").object("data").text("brig.json");
        Path file = Files.writeString(
                temp.resolve("brig.json"), Objects.requireNonNull(settings).replace("@NAME@", "brig-gateway-0"));
        Config config = ConfigFile.load(SourceTree.ROOT, file);
        JsonObject pod = find("StatefulSet", "brig-gateway")
                .object("spec")
                .object("template")
                .object("spec");
        assertEquals(3, config.cluster().servers().size());
        assertEquals(List.of("w1"), List.copyOf(config.cluster().hosts().keySet()));
        String ports = pod.objects("containers").getFirst().objects("ports").toString();
        assertTrue(ports.contains(String.valueOf(config.http().port())), ports);
        assertTrue(ports.contains(String.valueOf(config.http().metricsPort())), ports);
        String ssh = pod.objects("initContainers").getLast().elements("args").toString();
        assertTrue(
                ssh.contains("-L"
                        + Objects.requireNonNull(config.cluster().hosts().get("w1"))
                                .socket() + ":"),
                ssh);
    }
}
