// What the user wrote in opencode.json, checked: an option that is misspelt must not open anything.
import path from 'node:path';

const WORKSPACES = ['worktree', 'folder', 'copy', 'new'];
const TASK_ID_MAX = 96;

/** Where Brig listens for captains, as its own configuration has it. */
function defaultSocket(env, uid) {
    return uid === 0
        ? '/run/agent-spawner/spawner.sock'
        : path.join(env.XDG_RUNTIME_DIR ?? `/run/user/${uid}`, 'brig/spawner.sock');
}

function fail(name, must) {
    throw new Error(`opencode-brig: option '${name}' ${must}`);
}

function only(object, known, prefix) {
    if (object === null || typeof object !== 'object' || Array.isArray(object))
        fail(prefix || 'options', 'must be an object');
    for (const name of Object.keys(object)) if (!known.includes(name)) fail(prefix + name, 'is not known');
}

function text(value, name) {
    if (typeof value !== 'string' || value === '' || value.includes('\0')) fail(name, 'must be a text');
    return value;
}

function absolute(value, name) {
    return path.isAbsolute(text(value, name)) ? value : fail(name, 'must be an absolute path');
}

/** Brig's own proxy is the only way out of a wall; the policy says where it leads. */
function policy(value, name) {
    if (value !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text(value, name)))
        fail(name, 'must be the name of a policy of Brig');
    return value;
}

function texts(value, name) {
    if (!Array.isArray(value)) fail(name, 'must be a list of texts');
    return value.map((one) => text(one, name));
}

function seconds(value, name, max) {
    if (!Number.isInteger(value) || value < 1 || value > max) fail(name, `must be a whole number from 1 to ${max}`);
    return value;
}

function workspace(value, name) {
    return WORKSPACES.includes(value) ? value : fail(name, `must be one of ${WORKSPACES.join(', ')}`);
}

/** Pattern and profile of each, in their order. */
function remote(value, profile) {
    if (Array.isArray(value)) return texts(value, 'remoteAgents').map((pattern) => [pattern, profile]);
    only(value, Object.keys(value ?? {}), 'remoteAgents');
    return Object.entries(value).map(([pattern, name]) => [pattern, text(name, `remoteAgents.${pattern}`)]);
}

/** Pattern and model of each, in their order; an empty one leaves the model to the worker. */
function models(value) {
    only(value, Object.keys(value ?? {}), 'models');
    return Object.entries(value).map(([pattern, name]) => [
        pattern,
        name === '' ? name : text(name, `models.${pattern}`),
    ]);
}

function sandbox(value, defaults) {
    if (value === undefined || value === false) return null;
    const given = value === true ? {} : value;
    only(given, ['profile', 'workspace', 'proxy', 'allow', 'timeoutSeconds'], 'sandbox.');
    return {
        profile: text(given.profile ?? 'shell', 'sandbox.profile'),
        workspace: workspace(given.workspace ?? defaults.workspace, 'sandbox.workspace'),
        proxy: policy(given.proxy, 'sandbox.proxy') ?? defaults.proxy,
        allow: texts(given.allow ?? [], 'sandbox.allow'),
        timeoutSeconds: seconds(given.timeoutSeconds ?? 120, 'sandbox.timeoutSeconds', 3600),
    };
}

/** @throws Error that names the option */
export function readOptions(given = {}, env = process.env, uid = process.getuid()) {
    only(
        given,
        [
            'spawnerSocket',
            'workspaceBase',
            'workspace',
            'proxy',
            'profile',
            'remoteAgents',
            'localAgents',
            'models',
            'leaseSeconds',
            'keepSeconds',
            'sandbox',
        ],
        '',
    );
    const profile = text(given.profile ?? 'opencode', 'profile');
    const common = {
        workspace: workspace(given.workspace ?? 'worktree', 'workspace'),
        proxy: policy(given.proxy, 'proxy'),
    };
    return Object.freeze({
        ...common,
        spawnerSocket: absolute(given.spawnerSocket ?? defaultSocket(env, uid), 'spawnerSocket'),
        workspaceBase: given.workspaceBase === undefined ? undefined : absolute(given.workspaceBase, 'workspaceBase'),
        remoteAgents: remote(given.remoteAgents ?? [], profile),
        localAgents: texts(given.localAgents ?? [], 'localAgents'),
        models: models(given.models ?? {}),
        leaseSeconds: seconds(given.leaseSeconds ?? 3, 'leaseSeconds', 3600),
        keepSeconds: seconds(given.keepSeconds ?? 120, 'keepSeconds', 86_400),
        sandbox: sandbox(given.sandbox, common),
    });
}

/** Whether a name fits a pattern, in which {@code *} stands for anything. */
export function fits(pattern, name) {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

/** The profile that a sub-agent runs as behind the wall; null for one that stays here. */
export function profileOf(options, agent) {
    if (options.localAgents.some((pattern) => fits(pattern, agent))) return null;
    return options.remoteAgents.find(([pattern]) => fits(pattern, agent))?.[1] ?? null;
}

/** A name for a worker that a person recognizes in {@code brig sessions}. */
export function taskId(what, random) {
    return `opencode-${what.replace(/[^A-Za-z0-9._-]/g, '_')}`.slice(0, TASK_ID_MAX) + `-${random}`;
}
