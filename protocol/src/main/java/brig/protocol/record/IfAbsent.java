package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A key of the configuration that may be left out. It is then what the value says; without one 0, false, an empty text, list
 * or map, or an object without any key.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface IfAbsent {
    String value() default "";
}
