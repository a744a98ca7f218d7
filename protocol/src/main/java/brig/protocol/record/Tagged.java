package brig.protocol.record;

import brig.protocol.ErrorCode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A sealed interface of records, each with a name of its own ({@link Name}) in one field, which is written first. Where
 * the sealed interface has sealed interfaces among its kinds, their records count as its own.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Tagged {
    /** The field with the name: {@code op}, {@code type}, {@code action}. */
    String value();

    /** The field with an object of all others: {@code params}. Without one they stand beside the name. */
    String content() default "";

    /** With what a name that is not known is refused. */
    ErrorCode unknown() default ErrorCode.INVALID_FIELD;
}
