/** The messages of the Model Context Protocol, and the arguments of Brig's tools, a record for each. */
@NullMarked
package brig.mcp.message;

import org.jspecify.annotations.NullMarked;
