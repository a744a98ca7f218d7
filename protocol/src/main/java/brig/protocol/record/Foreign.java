package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A message of a program that is not ours: fields that the record does not know are ignored, and a value that is not of
 * the type of its component counts as absent. A record that is absent and not {@code @Nullable} is one of absent fields. On
 * a tagged type it says so of all its records.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Foreign {}
