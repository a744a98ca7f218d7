/** What looks at requests and answers on their way, or changes them: secrets, usage of models, the audit. */
@NullMarked
package brig.egress.filter;

import org.jspecify.annotations.NullMarked;
