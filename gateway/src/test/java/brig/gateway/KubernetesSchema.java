package brig.gateway;

import com.google.gson.annotations.SerializedName;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an API server of Kubernetes would refuse of a manifest: a field that there is none of, a value of another type, a field
 * that is missing. The schema is that of Kubernetes' own client, whose classes are made of its OpenAPI document.
 */
final class KubernetesSchema {
    private static final String MODELS = "io.kubernetes.client.openapi.models.V1";
    private static final Map<String, Set<String>> KINDS = Map.of(
            "v1", Set.of("ConfigMap", "Namespace", "Secret", "Service"),
            "apps/v1", Set.of("StatefulSet"),
            "networking.k8s.io/v1", Set.of("NetworkPolicy"),
            "policy/v1", Set.of("PodDisruptionBudget"));

    private final List<String> faults = new ArrayList<>();

    private KubernetesSchema() {}

    /** Empty if a server would take it. */
    static List<String> faults(Map<?, ?> manifest) {
        KubernetesSchema schema = new KubernetesSchema();
        String kind = String.valueOf(manifest.get("kind"));
        String version = String.valueOf(manifest.get("apiVersion"));
        if (KINDS.getOrDefault(version, Set.of()).contains(kind)) {
            schema.object(kind, model(kind), manifest);
        } else {
            schema.faults.add("there is no " + kind + " in " + version);
        }
        return schema.faults;
    }

    private static Class<?> model(String kind) {
        try {
            return Class.forName(MODELS + kind);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private void object(String path, Class<?> model, Object value) {
        if (!(value instanceof Map<?, ?> object)) {
            faults.add(path + " is no object");
            return;
        }
        Map<String, Type> fields = fields(model);
        object.forEach((name, member) -> {
            Type type = fields.get(String.valueOf(name));
            if (type == null) {
                faults.add(path + " has no field " + name);
            } else {
                check(path + "." + name, type, member);
            }
        });
        required(model).stream()
                .filter(name -> !object.containsKey(name))
                .forEach(name -> faults.add(path + "." + name + " is missing"));
    }

    private static Map<String, Type> fields(Class<?> model) {
        Map<String, Type> fields = new TreeMap<>();
        for (Field field : model.getDeclaredFields()) {
            SerializedName name = field.getAnnotation(SerializedName.class);
            if (name != null) {
                fields.put(name.value(), field.getGenericType());
            }
        }
        return fields;
    }

    private static Set<?> required(Class<?> model) {
        try {
            return (Set<?>) model.getField("openapiRequiredFields").get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private void check(String path, Type type, @Nullable Object value) {
        if (value == null) {
            faults.add(path + " is empty");
        } else if (type instanceof ParameterizedType container) {
            Type[] parts = container.getActualTypeArguments();
            if (container.getRawType() == List.class && value instanceof List<?> list) {
                for (int i = 0; i < list.size(); i++) {
                    check(path + "[" + i + "]", parts[0], list.get(i));
                }
            } else if (container.getRawType() == Map.class && value instanceof Map<?, ?> map) {
                map.forEach((key, member) -> check(path + "." + key, parts[1], member));
            } else {
                faults.add(path + " is no " + container.getRawType().getTypeName());
            }
        } else if (type instanceof Class<?> one && one.getName().startsWith(MODELS)) {
            object(path, one, value);
        } else if (!isOf(type, value)) {
            faults.add(path + " is no " + type.getTypeName() + " but "
                    + value.getClass().getName());
        }
    }

    private static boolean isOf(Type type, Object value) {
        if (type == Integer.class || type == Long.class) {
            return value instanceof Integer || value instanceof Long;
        }
        if (type == IntOrString.class) {
            return value instanceof Integer || value instanceof String;
        }
        if (type == Quantity.class) {
            return isQuantity(String.valueOf(value));
        }
        return Arrays.asList(String.class, Boolean.class, Double.class).contains(type) && type == value.getClass();
    }

    private static boolean isQuantity(String text) {
        try {
            return Quantity.fromString(text).getNumber().signum() >= 0;
        } catch (QuantityFormatException | IllegalArgumentException e) {
            return false;
        }
    }
}
