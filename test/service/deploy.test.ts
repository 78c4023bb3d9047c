import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS, variableOf } from '../../src/settings.ts';
import { serviceOf } from '../helpers/service.ts';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));
const VARIABLES = new Set(Object.keys(SETTINGS).map(variableOf));
const HEALTHCHECK = 'dist/scripts/healthcheck.js';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const composeText = readFileSync('deploy/compose.yaml', 'utf8');
const podText = readFileSync('deploy/kubernetes.yaml', 'utf8');

/** The images of the Dockerfile: each `FROM` with its instructions, the build's apart. */
const images = dockerfile
  .split(/^FROM /m)
  .slice(1)
  .filter((stage) => !/ AS build$/m.test(stage));
/** All values of an instruction, lines that go on joined. */
const instructions = (stage: string, name: string): string[] =>
  [...stage.replaceAll(/\\\n\s*/g, '').matchAll(new RegExp(`^(?:HEALTHCHECK .*)?${name} (.+)$`, 'gm'))].map(
    ([, value]) => value ?? '',
  );
const variablesOf = (text: string): string[] => text.match(/\bFS_[A-Z_]+\b/g) ?? [];

describe('the image', () => {
  it('is made with a shell and without one', () => {
    expect(images.map((image) => /^.* AS (\w+)$/m.exec(image)?.[1])).toEqual(['distroless', 'runtime']);
  });

  it.each(images)('runs the service that is built, as nobody of note, and asks for its health %#', (image) => {
    const [entry] = instructions(image, 'ENTRYPOINT');
    const [health] = instructions(image, 'CMD');
    const [user = ''] = instructions(image, 'USER');
    expect([JSON.parse(entry ?? ''), JSON.parse(health ?? ''), user]).toEqual([
      ['node', PACKAGE.bin['fs-sidecar']],
      ['node', HEALTHCHECK],
      expect.stringMatching(/^[1-9]\d{3,}:[1-9]\d{3,}$/),
    ]);
    expect([existsSync(HEALTHCHECK), existsSync(PACKAGE.bin['fs-sidecar'])]).toEqual([true, true]);
  });

  it.each(images)('sets what can be set, and tells its port %#', (image) => {
    const environment = Object.fromEntries(
      (instructions(image, 'ENV')[0] ?? '').split(' ').map((pair) => pair.split('=')),
    );
    expect(variablesOf(image).filter((name) => !VARIABLES.has(name))).toEqual([]);
    expect([instructions(image, 'EXPOSE'), environment]).toMatchObject([
      [environment['FS_PORT']],
      { FS_PORT: SETTINGS.port.default, FS_ROOT: '/workspace', FS_HOST: '0.0.0.0' },
    ]);
  });

  it('is for one Node, which the package takes', () => {
    const majors = [...dockerfile.matchAll(/node(?:js|:)(\d+)/g)].map(([, major]) => Number(major));
    const oldest = Number(/\d+/.exec(PACKAGE.engines.node)?.[0]);
    expect([new Set(majors).size, Math.min(...majors) >= oldest]).toEqual([1, true]);
  });

  it('is built from what the context holds', () => {
    const held = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+$/gm) ?? [];
    const [build = ''] = dockerfile.split(/^FROM /m).filter((stage) => / AS build$/m.test(stage));
    const copied = instructions(build, 'COPY').flatMap((files) => files.split(' ').slice(0, -1));
    expect([new Set(copied), copied.filter((file) => !existsSync(file))]).toEqual([new Set(held), []]);
  });
});

describe('deploy/compose.yaml', () => {
  const { services, volumes } = parse(composeText);
  const { agent, 'fs-sidecar': sidecar } = services;

  it('uses settings that there are', () => {
    expect([variablesOf(composeText).filter((name) => !VARIABLES.has(name)), 'command' in sidecar]).toEqual([
      [],
      false,
    ]);
  });

  it('wants a token, since other containers reach the port', () => {
    expect([sidecar.environment.FS_TOKEN, sidecar.ports]).toEqual([
      expect.stringMatching(/^\$\{FS_TOKEN:\?/),
      undefined,
    ]);
  });

  it('lets the sidecar read the workspace that the agent writes', () => {
    expect([sidecar.volumes, agent.volumes, Object.keys(volumes)]).toEqual([
      [{ type: 'volume', source: 'workspace', target: '/workspace', read_only: true }],
      [{ type: 'volume', source: 'workspace', target: '/workspace' }],
      ['workspace'],
    ]);
  });

  it('takes from the sidecar what it does not need', () => {
    expect(sidecar).toMatchObject({
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('starts the agent when the sidecar is ready, and asks it at its port', () => {
    const [url] = composeText.match(/http:\/\/fs-sidecar:\d+/) ?? [];
    expect([agent.depends_on, url]).toEqual([
      { 'fs-sidecar': { condition: 'service_healthy' } },
      `http://fs-sidecar:${SETTINGS.port.default}`,
    ]);
  });
});

describe('deploy/kubernetes.yaml', () => {
  const { spec } = parse(podText);
  const [sidecar] = spec.initContainers;
  const [agent] = spec.containers;
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;

  it('uses settings that there are', () => {
    const names = sidecar.env.map(({ name }: { name: string }) => name);
    expect([...names, ...variablesOf(podText)].filter((name) => !VARIABLES.has(name))).toEqual([]);
  });

  it('is of the image of this version', () => {
    expect([sidecar.image, agent.image]).toEqual([`fs-sidecar:${PACKAGE.version}`, `fs-sidecar:${PACKAGE.version}`]);
  });

  it('is a native sidecar, on loopback', () => {
    expect([sidecar.restartPolicy, sidecar.env, sidecar.ports]).toEqual([
      'Always',
      [{ name: 'FS_HOST', value: '127.0.0.1' }],
      undefined,
    ]);
    expect(podText).toContain(`http://127.0.0.1:${SETTINGS.port.default}/ls`);
  });

  it.each(probes)('has a %s that runs what the image holds and asks a route that there is', async (probe) => {
    const [node, script, path = '/readyz'] = sidecar[probe].exec.command;
    const { get } = await serviceOf({});
    expect([node, script, (await get(path)).statusCode]).toEqual(['node', HEALTHCHECK, 200]);
  });

  it('is not restarted because its workspace cannot be read', async () => {
    const { get } = await serviceOf({}, { trouble: () => 'the workspace cannot be read' });
    const path = sidecar.livenessProbe.exec.command[2];
    expect([(await get(path)).statusCode, (await get('/readyz')).statusCode]).toEqual([200, 503]);
  });

  it('takes from the sidecar what it does not need', () => {
    expect([spec.automountServiceAccountToken, spec.securityContext, sidecar.securityContext]).toMatchObject([
      false,
      { runAsNonRoot: true, runAsUser: expect.any(Number), seccompProfile: { type: 'RuntimeDefault' } },
      { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    ]);
    expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
    expect([spec.hostNetwork, spec.hostPID, spec.hostIPC, sidecar.resources.limits.memory]).toEqual([
      undefined,
      undefined,
      undefined,
      expect.stringMatching(/^\d+Mi$/),
    ]);
  });

  it('lets the sidecar read the workspace that the agent writes', () => {
    const mount = { name: 'workspace', mountPath: '/workspace' };
    expect([sidecar.volumeMounts, agent.volumeMounts, spec.volumes]).toMatchObject([
      [{ ...mount, readOnly: true }],
      [mount],
      [{ name: 'workspace' }],
    ]);
    expect(agent.volumeMounts[0].readOnly).toBeUndefined();
  });
});
