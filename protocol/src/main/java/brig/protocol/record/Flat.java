package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The fields of this component, a record or a tagged type, are written among those of the enclosing record. A nullable
 * component is null if none of its fields is present, or if an extensible message has an unknown tag.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Flat {
    /** Whether the tag of a tagged type is written; false if the enclosing record has it elsewhere. */
    boolean tagged() default true;
}
