package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name on the wire. Without it a component {@code spawnId} is {@code spawn_id}, a record {@code TestRoute} of a tagged
 * type is {@code test_route}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Name {
    String value();

    /** Names that are read too, and never written. */
    String[] old() default {};
}
