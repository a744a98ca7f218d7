package brig.protocol.record;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A message whose sender may be newer: fields that the record does not know are ignored, not refused, and a constant that
 * an enum does not know is null where null may be. On a tagged type it says so of all its records.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Extensible {}
