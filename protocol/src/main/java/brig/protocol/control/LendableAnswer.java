package brig.protocol.control;

import brig.protocol.record.Extensible;

/**
 * A repository may be lent.
 *
 * @param mirror the name of its mirrors on other hosts
 */
@Extensible
public record LendableAnswer(String mirror) {}
