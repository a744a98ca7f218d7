package brig.protocol.record;

import brig.protocol.ErrorCode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A sealed interface of records that are told apart by their {@link Name} in one field, which is written first. Records
 * of nested sealed interfaces are included.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Tagged {
    /** The name of the tag field: {@code op}, {@code type}, {@code action}. */
    String value();

    /** The field with an object of all others: {@code params}. Without one they stand beside the name. */
    String content() default "";

    /** The error code for an unknown tag. */
    ErrorCode unknown() default ErrorCode.INVALID_FIELD;
}
