/**
 * Networks of workers on other hosts, served by the brig-egress of this one. What the other host says is data: it decides
 * nothing about policies.
 */
@NullMarked
package brig.workeragent.grant;

import org.jspecify.annotations.NullMarked;
