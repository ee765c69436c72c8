import { PHASE_DEVELOPMENT_SERVER } from "next/constants.js";

// Config runs before Next.js makes its telemetry client: a build opens no connection.
process.env.NEXT_TELEMETRY_DISABLED = "1";

/**
 * Pages are prerendered, so a per-request nonce can't be in them: inline scripts are allowed, foreign ones are not.
 * What makes that safe is that no page puts text from a person into HTML except through React's escaping.
 */
function contentSecurityPolicy(isDev) {
  return [
    "default-src 'self'",
    // React's development build rebuilds server stacks with eval.
    `script-src 'self' 'unsafe-inline'${isDev ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDev ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** @returns {import('next').NextConfig} */
export default function config(phase) {
  const isDev = phase === PHASE_DEVELOPMENT_SERVER;
  const headers = [
    { key: "Content-Security-Policy", value: contentSecurityPolicy(isDev) },
    { key: "X-Content-Type-Options", value: "nosniff" },
    { key: "X-Frame-Options", value: "DENY" },
    { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
    { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
    { key: "Permissions-Policy", value: "camera=(), geolocation=(), microphone=(), payment=()" },
  ];
  return {
    reactStrictMode: true,
    poweredByHeader: false,
    compress: true,
    // `npm run verify` checks types; a first `npm start` should not wait for it again.
    typescript: { ignoreBuildErrors: true },
    turbopack: { root: import.meta.dirname },
    devIndicators: false,
    // `next dev` must not write files into the repository.
    agentRules: false,
    headers: async () => [{ source: "/:path*", headers }],
  };
}
