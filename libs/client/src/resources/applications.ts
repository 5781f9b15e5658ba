import type {
  Application,
  ApplicationDetail,
  ApplicationManifest,
  CreatedSystemKey,
  InstalledApplication,
  PageQuery,
  RotatedSystemKey,
  SystemKey,
  SystemKeyPage,
  UpgradeResult,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The applications of the space: events, tables, tasks, and subscriptions from a manifest. Only for admins. */
export class ApplicationsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<Application> {
    return this.http.list('/api/applications', { ...query }, options);
  }

  get(identifier: string, options?: RequestOptions): ApiPromise<ApplicationDetail> {
    return this.http.get(path`/api/applications/${identifier}`, {}, options);
  }

  /** Installs an application. The system key is returned only here. */
  install(manifest: ApplicationManifest, options?: RequestOptions): ApiPromise<InstalledApplication> {
    return this.http.post('/api/applications', manifest, options);
  }

  /** Replaces the manifest. With `dryRun`, changes nothing and returns what would change and break. */
  upgrade(
    identifier: string,
    manifest: ApplicationManifest,
    { dryRun, ...options }: RequestOptions & { dryRun?: boolean } = {},
  ): ApiPromise<UpgradeResult> {
    return this.http.json({
      ...options,
      method: 'PUT',
      path: path`/api/applications/${identifier}`,
      query: { dryRun },
      body: manifest,
      idempotent: true,
    });
  }

  /** Uninstalls an application. Its history and the subscriptions that users created are kept. */
  uninstall(identifier: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/applications/${identifier}`, options);
  }

  /** Lists the valid system keys of an application, newest first; there are at most two. */
  systemKeys(identifier: string, options?: RequestOptions): PagePromise<SystemKey, SystemKeyPage> {
    return this.http.list(path`/api/applications/${identifier}/system-keys`, {}, options);
  }

  /** Creates a second system key beside the present one. It is returned only here. */
  createSystemKey(identifier: string, options?: RequestOptions): ApiPromise<CreatedSystemKey> {
    return this.http.post(path`/api/applications/${identifier}/system-keys`, {}, options);
  }

  revokeSystemKey(identifier: string, id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/applications/${identifier}/system-keys/${id}`, options);
  }

  /** Replaces all system keys. They stop working at once; the new one is returned only here. */
  rotateKey(identifier: string, options?: RequestOptions): ApiPromise<RotatedSystemKey> {
    return this.http.post(path`/api/applications/${identifier}/system-key`, {}, options);
  }
}
