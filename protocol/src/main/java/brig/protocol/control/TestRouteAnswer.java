package brig.protocol.control;

import brig.protocol.record.Extensible;

/**
 * What a model's server answered.
 *
 * @param status of HTTP, also where brig-egress itself refused
 * @param text the beginning of the answer
 */
@Extensible
public record TestRouteAnswer(String route, String baseUrl, int status, String text) {}
