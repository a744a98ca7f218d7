/** Sign-in of people by an OpenID Connect issuer: authorization code with PKCE, ID tokens, and who a person is here. */
@NullMarked
package brig.gateway.oidc;

import org.jspecify.annotations.NullMarked;
