/**
 * Access to the machine: files, streams, environment, clock, randomness, signals, network. Only this folder
 * may name a runtime (`node:`, `Bun`, `Deno`), which `tests/checks/` enforces; others take a `Host`.
 */

export {
  CertificateError,
  type CertificateFacts,
  isForName,
  isKeyOf,
  isSignedBy,
  readCertificates,
  readKeyPair,
} from "./certificates.ts";
export { outwardAddress } from "./addresses.ts";
export { type Clock, createClock } from "./clock.ts";
export { type Collector, createCollector } from "./collector.ts";
export { compileEagerly } from "./compilation.ts";
export { digest, pack, unpack } from "./packing.ts";
export { createHost } from "./create_host.ts";
export type {
  DirEntry,
  FileInfo,
  FileKind,
  Host,
  Input,
  Output,
  Runtime,
  Signal,
  WatchHandlers,
} from "./host.ts";
export { HostError, type HostErrorCode } from "./host_error.ts";
export {
  BodyError,
  type ConnectionLimits,
  type CutReason,
  type HttpAnswer,
  type HttpHandler,
  type HttpListener,
  type HttpRequest,
  type HttpServerOptions,
  type HttpsListener,
  type SecureMaterial,
} from "./http.ts";
export { joinBytes } from "./join_bytes.ts";
export { listenHttp, listenHttps } from "./http_server.ts";
export {
  type ClientRequest,
  type ClientResponse,
  createHttpsClient,
  HttpClientError,
  type HttpClientErrorCode,
  type HttpsClient,
  type HttpsClientOptions,
} from "./https_client.ts";
export { onStrayError, type ProcessStats, processStats } from "./process_stats.ts";
export {
  type ProgramOptions,
  type ProgramResult,
  type RunProgram,
  runProgram,
} from "./run_program.ts";
export { type FileWatch, watchFiles, type WatchFilesOptions } from "./watch_files.ts";
export { bundleScripts, embeddedFile, type Scripts } from "./bundle.ts";
export { createSprigHost } from "./sprig_host.ts";
