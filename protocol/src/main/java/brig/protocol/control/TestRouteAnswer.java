package brig.protocol.control;

import brig.protocol.record.Extensible;

/**
 * The answer of a model's server.
 *
 * @param status the HTTP status, also of a refusal by brig-egress itself
 * @param text the beginning of the answer
 */
@Extensible
public record TestRouteAnswer(String route, String baseUrl, int status, String text) {}
