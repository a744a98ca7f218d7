package brig.protocol.json;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.OrTrue;
import brig.protocol.record.OrWord;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import brig.protocol.record.Tagged;
import brig.protocol.record.WriteNull;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The JSON form of a record: its fields in order, and the tag that identifies it within its sealed type. Computed once
 * per type.
 *
 * <p>Decision 0142.
 */
final class RecordShape {
    private static final ClassValue<RecordShape> SHAPES = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return new RecordShape(type);
        }
    };
    private static final ClassValue<Kinds> KINDS = new ClassValue<>() {
        @Override
        protected Kinds computeValue(Class<?> type) {
            return new Kinds(type);
        }
    };

    /**
     * A field, or the flattened fields of a nested record.
     *
     * @param names the name on the wire, then names that are only read
     * @param tagged whether a flat component is written with its tag
     * @param notEmpty an empty text counts as absent
     * @param byDefault the text of what counts where it is absent, as {@link Default} says; null for none
     * @param range null for any number
     * @param orTrue a record that may be {@code true}
     * @param orWord what may stand for the number -1; null for nothing
     */
    record Field(
            List<String> names,
            Method accessor,
            Type type,
            boolean nullable,
            boolean flat,
            boolean tagged,
            boolean omitEmpty,
            boolean writeNull,
            boolean notEmpty,
            @Nullable String byDefault,
            @Nullable Range range,
            boolean orTrue,
            @Nullable String orWord) {
        private static Field of(RecordComponent component, boolean camelCase) {
            Name given = component.getAnnotation(Name.class);
            String plain = camelCase ? component.getName() : snakeCase(component.getName());
            List<String> names = new ArrayList<>(List.of(given == null ? plain : given.value()));
            if (given != null) {
                names.addAll(List.of(given.old()));
            }
            Flat flat = component.getAnnotation(Flat.class);
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            Default absent = component.getAnnotation(Default.class);
            OrWord word = component.getAnnotation(OrWord.class);
            return new Field(
                    List.copyOf(names),
                    accessor,
                    component.getGenericType(),
                    component.getAnnotatedType().isAnnotationPresent(Nullable.class),
                    flat != null,
                    flat != null && flat.tagged(),
                    component.isAnnotationPresent(OmitEmpty.class),
                    component.isAnnotationPresent(WriteNull.class),
                    component.isAnnotationPresent(NotEmpty.class),
                    absent == null ? null : absent.value(),
                    component.getAnnotation(Range.class),
                    component.isAnnotationPresent(OrTrue.class),
                    word == null ? null : word.value());
        }

        String name() {
            return names.getFirst();
        }

        @Nullable
        Object valueOf(Record record) {
            try {
                return accessor.invoke(record);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(accessor + " cannot be called", e);
            }
        }
    }

    /** The records of a sealed type by tag. */
    static final class Kinds {
        private final Map<String, Class<?>> byTag = new LinkedHashMap<>();
        final Tagged tagged;

        private Kinds(Class<?> type) {
            Tagged annotation = type.getAnnotation(Tagged.class);
            if (annotation == null) {
                throw new IllegalStateException(type + " is neither a record nor tagged");
            }
            this.tagged = annotation;
            add(type);
        }

        private void add(Class<?> sealed) {
            for (Class<?> kind : sealed.getPermittedSubclasses()) {
                if (kind.isRecord()) {
                    byTag.put(tag(kind), kind);
                    Name given = kind.getAnnotation(Name.class);
                    for (String old : given == null ? new String[0] : given.old()) {
                        byTag.put(old, kind);
                    }
                } else {
                    add(kind);
                }
            }
        }

        /** In the order of the sealed type's declaration. */
        List<String> tags() {
            return List.copyOf(byTag.keySet());
        }

        @Nullable
        Class<?> named(String tag) {
            return byTag.get(tag);
        }
    }

    private final Class<?> type;
    private final List<Field> fields = new ArrayList<>();
    private final Constructor<?> constructor;
    private final @Nullable Tagged tagged;
    private final String tag;
    private final boolean isForeign;
    private final boolean isExtensible;
    private final boolean isSettings;

    private RecordShape(Class<?> type) {
        this.type = type;
        RecordComponent[] components = type.getRecordComponents();
        isSettings = isSettings(type);
        for (RecordComponent component : components) {
            fields.add(Field.of(component, isSettings || says(type, CamelCase.class)));
        }
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(type + " has no constructor of its components", e);
        }
        constructor.setAccessible(true);
        tagged = tagged(type);
        tag = tag(type);
        isForeign = says(type, Foreign.class);
        isExtensible = says(type, Extensible.class);
    }

    static RecordShape of(Class<?> type) {
        return SHAPES.get(type);
    }

    static Kinds kinds(Class<?> sealed) {
        return KINDS.get(sealed);
    }

    private static @Nullable Tagged tagged(Class<?> type) {
        for (Class<?> above : type.getInterfaces()) {
            Tagged own = above.getAnnotation(Tagged.class);
            Tagged found = own == null ? tagged(above) : own;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static String tag(Class<?> type) {
        Name given = type.getAnnotation(Name.class);
        return given == null ? snakeCase(type.getSimpleName()) : given.value();
    }

    static String snakeCase(String name) {
        StringBuilder snake = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            if (Character.isUpperCase(letter) && i > 0) {
                snake.append('_');
            }
            snake.append(Character.toLowerCase(letter));
        }
        return snake.toString();
    }

    List<Field> fields() {
        return fields;
    }

    /** The name of the tag field; null for a record of no tagged type. */
    @Nullable
    String tagField() {
        return tagged == null ? null : tagged.value();
    }

    /** The field with the object of all fields but the tag; null where they stand beside the tag. */
    @Nullable
    String content() {
        return tagged == null || tagged.content().isEmpty() ? null : tagged.content();
    }

    String tag() {
        return tag;
    }

    boolean isForeign() {
        return isForeign;
    }

    boolean isSettings() {
        return isSettings;
    }

    private static boolean isSettings(Class<?> type) {
        return type.isAnnotationPresent(Settings.class)
                || (type.getEnclosingClass() != null && isSettings(type.getEnclosingClass()));
    }

    boolean ignoresUnknown() {
        return isForeign || isExtensible;
    }

    /** Whether the record or one of its supertypes has the annotation. */
    private static boolean says(Class<?> type, Class<? extends Annotation> what) {
        return type.isAnnotationPresent(what)
                || Arrays.stream(type.getInterfaces()).anyMatch(above -> says(above, what));
    }

    /**
     * The allowed field names of a message, including flat components and tags.
     *
     * @param which selects among the names of a field
     */
    Stream<String> names(Map<?, ?> values, Function<Field, List<String>> which) {
        if (tagged != null && !tagged.content().isEmpty()) {
            return Stream.of(tagged.value(), tagged.content());
        }
        Stream<String> own = fields.stream()
                .flatMap(field -> field.flat() ? flatNames(field, values, which) : which.apply(field).stream());
        return tagged == null ? own : Stream.concat(Stream.of(tagged.value()), own);
    }

    private static Stream<String> flatNames(Field field, Map<?, ?> values, Function<Field, List<String>> which) {
        Class<?> inner = (Class<?>) field.type();
        if (inner.isRecord()) {
            return of(inner).names(values, which);
        }
        Kinds kinds = kinds(inner);
        Object tag = values.get(kinds.tagged.value());
        Class<?> kind = tag instanceof String text ? kinds.named(text) : null;
        return kind == null ? Stream.of(kinds.tagged.value()) : of(kind).names(values, which);
    }

    /** @throws RuntimeException as thrown by the record's own constructor */
    Object make(@Nullable Object[] arguments) {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            throw new IllegalStateException(type + " cannot be made", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " cannot be made", e);
        }
    }
}
