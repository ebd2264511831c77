# The commands that a newcomer needs. Everything else is cargo.

# rustup installs here; a shell that has not read its env file still finds it.
export PATH := $(PATH):$(HOME)/.cargo/bin

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

.PHONY: help demo test bench cargo

help:
	@echo "make demo   find the interleaving that breaks examples/lost-update.c"
	@echo "make test   formatting, lints and all tests"
	@echo "make bench  benchmarks"

# The tool is expected to find the bug, which it reports with exit code 10.
demo: cargo
	@scripts/install-clang --default-only
	cargo build --release --quiet --package threadbare-cli
	@echo '$$ threadbare check examples/lost-update.c'
	@status=0; \
	$(TARGET_DIR)/release/threadbare check examples/lost-update.c || status=$$?; \
	if [ $$status -ne 10 ]; then \
		echo "make demo: expected exit code 10 (violated), got $$status" >&2; exit 1; \
	fi

# Tests and lints use one profile. The lints come first because they are quick
# and need no code generation.
test: cargo
	@scripts/install-clang
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace

bench: cargo
	cargo bench --workspace

cargo:
	@command -v cargo >/dev/null || { \
		echo "cargo is missing: install Rust from https://rustup.rs, or add it to PATH" >&2; \
		exit 1; \
	}
