package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The fields of this component, a record or a tagged type, stand beside those of the record that has it. Null, where it may
 * be, is one of which nothing is there, or in a message whose sender may be newer one with a tag that is not known.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Flat {
    /** Whether the tag of a tagged type is written with its fields; it is not where the record has it elsewhere. */
    boolean tagged() default true;
}
