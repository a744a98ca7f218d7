package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What counts where the field is absent: a text or the name of a constant, which are not written, a flag or a number; without
 * a value false, 0, or an empty text, list, map or record.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Default {
    String value() default "";
}
