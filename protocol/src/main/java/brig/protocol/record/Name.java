package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name on the wire. The default for a component {@code spawnId} is {@code spawn_id}, for a record {@code TestRoute}
 * of a tagged type {@code test_route}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Name {
    String value();

    /** Alternative names that are read but never written. */
    String[] old() default {};
}
