#!/usr/bin/env bash
# Makes clients from the contract with the generators that people use, and compiles them. A document can be sound and still be of no use to them: one
# name for two things, for example. What is fetched comes from the registries of Go and npm, in the versions that the lock files beside this one name.
set -euo pipefail
cd "$(dirname "$0")"
contract=$(cd ../.. && pwd)/internal/contract/openapi.json
signup=$(cd ../.. && pwd)/docs/signup.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOWORK=off

echo "oapi-codegen: a client in Go"
cp go.mod go.sum "$work"
go tool oapi-codegen -generate types,client -package api "$contract" >"$work/api.go"
(cd "$work" && go vet .)

if ! command -v npm >/dev/null; then
	echo "SKIPPED: npm is not installed, so that openapi-typescript and redocly did not see the contract. Install Node.js 20 or later with npm."
	exit 0
fi
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true NO_UPDATE_NOTIFIER=1
cp package.json package-lock.json redocly.yaml "$work"
cd "$work"
npm ci --silent --no-audit --no-fund --ignore-scripts --prefer-offline
echo "openapi-typescript: types in TypeScript"
npx --no-install openapi-typescript "$contract" --output api.ts >/dev/null
npx --no-install tsc --noEmit --strict api.ts
echo "tsc: the check of docs/signup.md"
sed -n '/^`signup.ts`/,/^```$/p' "$signup" | sed '1,/^```ts$/d; /^```$/d' >signup.ts
npx --no-install tsc --noEmit --strict --target es2022 --module nodenext --types node signup.ts
echo "redocly: rules of style"
npx --no-install redocly lint --config redocly.yaml "$contract"
