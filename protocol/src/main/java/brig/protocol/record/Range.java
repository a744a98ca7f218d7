package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The bounds of a whole number, both inclusive. An absent number is 0, whatever the bounds. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Range {
    long min() default 0;

    long max() default Long.MAX_VALUE;

    /** Whether 0 is allowed beside them; it stands for no limit. */
    boolean orZero() default false;
}
