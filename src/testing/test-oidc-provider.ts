import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export const OIDC_CLIENT = { id: "floodgate", secret: "a client secret of the tests" };

/** An OpenID Connect provider that signs in the user of `profile`. */
export class TestOidcProvider {
  profile = { sub: "person-1", email: "boss@example.com", email_verified: true, name: "Boss" };
  /** Copied from the authorization URL by the test, as a real provider would remember it. */
  nonce: string | undefined;
  /** While true, connections are taken and never answered. */
  hangs = false;
  private readonly keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  private readonly server: Server = createServer((req, res) => {
    if (this.hangs) return;
    const body = this.answer(req.url ?? "/");
    res.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
  });

  async start(): Promise<this> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(path: string): object | null {
    const { url } = this;
    if (path.includes("openid-configuration")) {
      return {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        id_token_signing_alg_values_supported: ["RS256"],
      };
    }
    if (path === "/jwks") {
      const key = this.keys.publicKey.export({ format: "jwk" });
      return { keys: [{ ...key, kid: "key-1", alg: "RS256", use: "sig" }] };
    }
    if (path !== "/token") return null;
    return { access_token: "unused", token_type: "Bearer", expires_in: 300, id_token: this.idToken() };
  }

  private idToken(): string {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { ...this.profile, iss: this.url, aud: OIDC_CLIENT.id, iat: now, exp: now + 300 };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const head = encode({ alg: "RS256", kid: "key-1", typ: "JWT" });
    const signed = `${head}.${encode({ ...claims, ...(this.nonce ? { nonce: this.nonce } : {}) })}`;
    return `${signed}.${sign("sha256", Buffer.from(signed), this.keys.privateKey).toString("base64url")}`;
  }
}
