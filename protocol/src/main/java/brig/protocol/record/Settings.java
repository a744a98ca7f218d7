package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A file that a person writes, with the records that are declared inside. Fields are called as the components are in Java, and a
 * refusal names their whole path. Each must be there, but for those with {@link Default} and those that may be null; null
 * counts as a value that is missing. Where the record is {@link Extensible} too, null and absent are as in a message. An
 * {@code IllegalArgumentException} of the record's own constructor is a refusal, whose text begins with the field.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Settings {}
