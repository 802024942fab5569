# SPDX-License-Identifier: Apache-2.0
"""The long tables of tidy.py: banned constructs, and the files that are exempt from a rule, with
the reason.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Ban:
    """A construct, its replacement, and globs of files that may use it anyway."""

    pattern: str
    instead: str
    allowed: tuple[str, ...] = ()


# Searched for in C++ code, outside comments and literals.
BANS = [
    Ban(r"\bstd::j?thread\b", "Thread (base/thread.h): named, with a stated stack size"),
    Ban(
        r"\bstd::(\w+_)?mutex\b"
        r"|\bstd::(lock_guard|unique_lock|scoped_lock|shared_lock|condition_variable)",
        "Mutex, MutexLock, CondVar (base/mutex.h): annotated for -Wthread-safety",
        # A library that links no other room; and what decides when these classes may go on.
        ("src/base/mutex.h", "src/grpc/service.*", "src/base/schedule.h", "src/sim/scheduler.*"),
    ),
    Ban(
        r"\bsystem_clock::now\b|\bhigh_resolution_clock\b|\bstd::time\s*\("
        r"|\b(gettimeofday|clock_gettime)\s*\(",
        "Clock (base/clock.h)",
        ("src/base/clock.cc",),
    ),
    Ban(
        r"\bsteady_clock::now\b",
        "Clock::monotonic() (base/clock.h)",
        ("src/base/clock.cc", "test/*", "bench/*"),
    ),
    Ban(
        r"\bstd::(sto(i|l|ll|ul|ull|f|d|ld)|ato(i|l|ll|f)|strto(l|ll|ul|ull|f|ld)|sscanf)\s*\(",
        "parse_int or parse_double (base/strings.h): no exceptions, no locale, whole text only",
    ),
    Ban(
        r"\bstrtod\s*\(",
        "parse_double (base/strings.h)",
        # Go's ParseFloat returns infinity or zero for a number out of range, which parse_double
        # refuses.
        ("src/helm/funcs/*", "src/tmpl/*", "src/yaml/*"),
    ),
    Ban(
        r"\bstd::(cout|cerr|clog)\b|\bstd::(printf|fprintf|vprintf|puts|putchar|fputs|perror)\s*\(",
        # Code that ends the process has no logger.
        "Logger (base/log.h)",
        ("src/cmd/*", "src/base/check.cc", "src/base/openssl_library.cc", "test/*", "bench/*"),
    ),
    Ban(
        r"\bsleep_(for|until)\b|\b(usleep|nanosleep|sleep)\s*\(",
        "a wait on a condition through Clock::wait_until",
    ),
    Ban(r"\bstd::(\w)?regex\b|<regex>", "RE2: linear time for every pattern"),
    Ban(
        r"\b(secure_)?getenv\s*\(",
        "configuration handed down from cmd",
        ("src/cli/environment.cc", "src/kubeconfig/config.cc", "src/kubeconfig/proxy.cc", "test/*"),
    ),
    Ban(r"\busing\s+namespace\b", "one using-declaration for each name that is needed"),
    # (new T) lets an owner with access create an object whose constructor is private.
    Ban(
        r"(?<!\()\bnew\s+[A-Za-z_:]|(?<!operator )\bdelete\b\s*(\[\s*\]\s*)?[A-Za-z_*(]",
        "std::make_unique or a container",
    ),
    # Validators of the command-line library must throw to refuse a value; operator new must throw
    # to fail.
    Ban(
        r"\bthrow\b(?!\s*\()",
        "Result<T> (base/result.h)",
        ("src/base/memory_limit.cc", "src/cli/command.cc", "test/*"),
    ),
    Ban(r"(?<!static_)\bassert\s*\(", "CW_CHECK (base/check.h), which release builds keep"),
    Ban(r"\bstrerror\s*\(", "std::generic_category().message(): thread-safe"),
    Ban(r"\b(std::)?s?rand\s*\(|\bstd::random_device\b", "random_bytes (base/digest.h)"),
    Ban(
        r">=? ([uUL]|u8)? {3,}&&[^&|]*<=? ([uUL]|u8)? {3,}|<=? ([uUL]|u8)? {3,}\|\|[^&|]*>=?"
        r" ([uUL]|u8)? {3,}",
        "is_ascii_digit and its like (base/ascii.h)",
        ("src/base/ascii.h",),
    ),
    Ban(r"\b(strcpy|strcat|strtok|alloca)\s*\(|\bstd::v?sprintf\b", "std::string"),
]


@dataclasses.dataclass(frozen=True)
class Ends:
    """How many places in a file may end the process, and why no input reaches them."""

    count: int
    reason: str


# Code that ends the process, or throws without a handler. No chart, custom resource, API reply,
# file, flag or failing library may reach such a place. To add one, read its callers first and state
# the reason.
PROCESS_ENDS = (
    r"\b(CW_CHECK|CW_MUST|check_failed)\s*\(|\bstd::(terminate|abort|get\s*<)"
    r"|\b(abort|_exit|_Exit|quick_exit)\s*\("
    r"|\bstd::exit\s*\(|\bdynamic_cast<[^<>;]*(<[^<>]*>)?[^<>;]*&>"
)
MAY_END: dict[str, Ends] = {
    "src/base/check.cc": Ends(2, "CW_CHECK itself"),
    "src/base/check.h": Ends(3, "CW_CHECK itself"),
    "src/base/log.cc": Ends(1, "get: the last alternative"),
    "src/base/memory_limit.cc": Ends(
        1, "a jemalloc without counters, which none of our builds links"
    ),
    "src/base/metrics.cc": Ends(4, "names and bounds of metrics are literals"),
    "src/base/openssl_library.cc": Ends(
        1, "a broken installation, where the dynamic loader would end it too"
    ),
    "src/base/result.h": Ends(9, "callers check first, or propagate the error by CW_TRY"),
    "src/base/strings.cc": Ends(1, "the string to replace is a literal"),
    "src/base/thread.cc": Ends(3, "the machine has no thread for work that must run"),
    "src/helm/schema/members.cc": Ends(2, "get: the last alternative"),
    "src/helm/schema/meta.cc": Ends(2, "a text of our own"),
    "src/helm/schema/scope.cc": Ends(1, "get: the last alternative"),
    "src/helm/toml/tree.cc": Ends(1, "get: the last alternative"),
    "src/process/signal_watch.cc": Ends(1, "the second signal asks for it"),
    "src/helm/funcs/certificates.cc": Ends(1, "the executor lets only certificates through"),
    "src/helm/funcs/dates.cc": Ends(1, "the executor lets only times through"),
    "src/go/regexp.cc": Ends(1, "the visitor never fails"),
    "src/helm/version/semver_constraints.cc": Ends(1, "patterns are literals"),
    "src/helm/lint/chart_file.cc": Ends(1, "a literal"),
    "src/helm/lint/schema_faults.cc": Ends(1, "get: the last alternative"),
    "src/helm/chart/web.cc": Ends(2, "patterns are literals"),
    "src/resource/progress.cc": Ends(2, "callers ask for the pin first"),
    "src/runtime/controller.cc": Ends(1, "started once"),
    "src/runtime/work_queue.cc": Ends(1, "a worker returns the key that it took"),
    "src/sim/scheduler.cc": Ends(
        6, "which thread has the turn is a matter of this class and its strategy alone"
    ),
    "src/tmpl/exec_eval.cc": Ends(1, "the parser makes chains of a pipeline or a function"),
    "src/go/format_float.cc": Ends(
        2, "the buffer holds the longest double with the digits asked for"
    ),
    "src/tmpl/parser.cc": Ends(1, "get: the value was set in the same line"),
    "src/value/packed.cc": Ends(
        3, "packed values come from JSON or YAML, unpacked bytes from pack()"
    ),
    "src/value/path.cc": Ends(6, "get: a step is a name or an index, and the other was excluded"),
    "src/value/value.cc": Ends(16, "callers check the kind first"),
}

# Maps sources to the test that reaches them, where there is no <name>_test.cc and no test of the
# room includes the header. A name with a wildcard is of files in one room, and has a test of that
# room. A file may have a test elsewhere: cases that only a room above can run, or one that needs a
# process or a server of its own.
TESTED_BY: dict[str, str] = {
    "src/apiserver/access_review.cc": "test/e2e/test_farm.py",
    "src/apiserver/server.cc": "test/e2e/test_farm.py",
    "src/apiserver/write_query.cc": "test/e2e/test_farm.py",
    "src/scenario/expectation_file.cc": "test/scenario/scenario_file_test.cc",
    "src/scenario/expectations.cc": "test/scenario/scenario_run_test.cc",
    "src/scenario/memory_world.cc": "test/scenario/scenario_run_test.cc",
    "src/sim/sim_client.cc": "test/sim/campaign_test.cc",
    "src/base/budget.cc": "test/tmpl/budget_test.cc",
    "src/base/unicode_tables.cc": "test/base/unicode_test.cc",
    "src/bundle/schema_place.cc": "test/bundle/bundle_names_test.cc",
    "src/bundle/written_lines.cc": "test/bundle/status_fields_test.cc",
    "src/cmd/allocator.cc": "test/e2e/test_startup.py",
    "src/cli/command.cc": "test/cmd/command_line_test.cc",
    "src/migration/render_check.cc": "test/e2e/test_sdk_project.py",
    "src/project/differ.cc": "test/e2e/test_diff.py",
    "src/project/project.cc": "test/cmd/project_test.cc",
    "src/console/connection.cc": "test/e2e/test_get.py",
    "src/console/event_search.cc": "test/e2e/test_events_command.py",
    "src/console/pod_log.cc": "test/e2e/test_logs.py",
    "src/console/report_draft.cc": "test/e2e/test_report.py",
    "src/console/report_operators.cc": "test/e2e/test_report.py",
    "src/console/report_reader.cc": "test/e2e/test_report.py",
    "src/console/field_reader.cc": "test/e2e/test_why_field.py",
    "src/console/record_reader.cc": "test/e2e/test_history.py",
    "src/console/rollback_preview.cc": "test/e2e/test_requests.py",
    "src/console/tree_reader.cc": "test/e2e/test_tree.py",
    "src/console/why_reader.cc": "test/e2e/test_why.py",
    "src/cmd/helm_version.cc": "test/cmd/lint_cases_test.cc",
    "src/cmd/log_flags.cc": "test/e2e/test_startup.py",
    "src/cmd/serve_views.cc": "test/e2e/test_farm.py",
    "src/process/signal_watch.cc": "test/e2e/test_operator.py",
    "src/cmd/template*.cc": "test/cmd/command_line_test.cc",
    "src/cmd/value_flags.cc": "test/cmd/command_line_test.cc",
    "src/cmd/value_layers.cc": "test/cmd/template_failure_test.cc",
    "src/diagnosis/*.cc": "test/diagnosis/cases_test.cc",
    "src/doctor/served_names.cc": "test/doctor/cluster_state_test.cc",
    "src/external/descriptor_set.cc": "test/external/method_check_test.cc",
    "src/external/order.cc": "test/external/reads_test.cc",
    "src/fields/exclusions.cc": "test/release/exclusions_test.cc",
    "src/generate/json_schema.cc": "test/generate/choices_test.cc",
    "src/generate/rule.cc": "test/generate/role_test.cc",
    "src/go/base_encoding.cc": "test/cases/funcs/encoding.txt",
    "src/go/civil.cc": "test/cases/funcs/dates.txt",
    "src/go/complex.cc": "test/cases/tmpl/printf.txt",
    "src/go/format_spec.cc": "test/go/format_test.cc",
    "src/go/printer.cc": "test/go/format_test.cc",
    "src/go/quote.cc": "test/cases/tmpl/printf.txt",
    "src/go/time_format.cc": "test/cases/funcs/dates.txt",
    "src/go/time_layout.cc": "test/cases/funcs/dates.txt",
    "src/go/time_parse.cc": "test/cases/funcs/dates.txt",
    "src/go/time_zone.cc": "test/cases/funcs/dates.txt",
    "src/go/url.cc": "test/cases/funcs/urls.txt",
    "src/grpc/exchange.cc": "test/e2e/test_pet_grpc.py",
    "src/grpc/reflection.cc": "test/e2e/test_pet_grpc.py",
    "src/grpc/schema.cc": "test/e2e/test_pet_grpc.py",
    "src/health/services.cc": "test/cases/readiness/service.txt",
    "src/health/verdict.cc": "test/cases/readiness/any_kind.txt",
    "src/health/workloads.cc": "test/cases/readiness/deployment.txt",
    "src/helm/chart/chart.cc": "test/cases/chart/helm_3_22.txt",
    "src/helm/chart/chart_value.cc": "test/cases/chart/go_values.txt",
    "src/helm/chart/go_decode.cc": "test/cases/chart/loading.txt",
    "src/helm/chart/document_reader.cc": "test/cases/chart/loading.txt",
    "src/helm/chart/files.cc": "test/cases/chart/engine.txt",
    "src/helm/chart/glob.cc": "test/cases/chart/engine.txt",
    "src/helm/chart/go_struct.cc": "test/cases/chart/go_values.txt",
    "src/helm/chart/metadata.cc": "test/cases/chart/loading.txt",
    "src/helm/chart/values_file.cc": "test/cases/chart/helm_4_3.txt",
    "src/helm/chart/web.cc": "test/cases/lint/addresses.txt",
    "src/helm/funcs/*.cc": "test/helm/funcs/cases_test.cc",
    "src/helm/analysis/abstract_value.cc": "test/helm/lint/key_faults_test.cc",
    "src/helm/lint/chart_dependencies.cc": "test/cases/lint/dependencies.txt",
    "src/helm/lint/chart_file.cc": "test/cases/lint/chart_file.txt",
    "src/helm/lint/ci_values.cc": "test/helm/lint/extended_test.cc",
    "src/helm/analysis/documents.cc": "test/helm/analysis/written_kinds_test.cc",
    "src/helm/lint/helm.cc": "test/cases/lint/templates.txt",
    "src/helm/lint/message.cc": "test/cases/lint/templates.txt",
    "src/helm/analysis/output.cc": "test/helm/analysis/written_kinds_test.cc",
    "src/helm/lint/rendered_rules.cc": "test/cases/lint/templates.txt",
    "src/helm/lint/schema_faults.cc": "test/helm/lint/extended_test.cc",
    "src/helm/analysis/usage.cc": "test/helm/lint/key_faults_test.cc",
    "src/helm/analysis/usage_call.cc": "test/helm/lint/key_faults_test.cc",
    "src/helm/analysis/usage_collector.cc": "test/helm/lint/key_faults_test.cc",
    "src/helm/analysis/usage_needs.cc": "test/helm/lint/key_faults_test.cc",
    "src/helm/analysis/usage_text.cc": "test/helm/lint/key_faults_test.cc",
    "src/helm/lint/values_file.cc": "test/cases/lint/values.txt",
    "src/helm/lint/values_variant.cc": "test/helm/lint/extended_test.cc",
    "src/helm/objects/deprecation.cc": "test/cases/lint/templates.txt",
    "src/helm/objects/object_*.cc": "test/helm/objects/object_faults_test.cc",
    "src/helm/render/*.cc": "test/helm/render/cases_test.cc",
    "src/helm/schema/assertions.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/error.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/format.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/loose.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/members.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/meta.cc": "test/cases/chart/schema_meta.txt",
    "src/helm/schema/meta_text.cc": "test/cases/chart/schema_meta.txt",
    "src/helm/schema/resources.cc": "test/helm/schema/remote_schema_test.cc",
    "src/helm/schema/scope.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/unevaluated.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/validate.cc": "test/cases/chart/schema.txt",
    "src/helm/schema/value.cc": "test/cases/chart/schema.txt",
    "src/helm/toml/*.cc": "test/helm/toml/toml_test.cc",
    "src/kube/curl_*.cc": "test/kube/transport_test.cc",
    "src/operator/candidate_hooks.cc": "test/operator/rollout_test.cc",
    "src/external/copy.cc": "test/operator/externals_test.cc",
    "src/operator/lost_record.cc": "test/operator/drift_repair_test.cc",
    "src/exposure/chosen_places.cc": "test/exposure/exposed_names_test.cc",
    "src/exposure/spec_values.cc": "test/exposure/exposed_externals_test.cc",
    "src/history/candidates.cc": "test/operator/candidates_test.cc",
    "src/history/history.cc": "test/operator/history_test.cc",
    "src/history/template_places.cc": "test/operator/template_places_test.cc",
    "src/history/trial.cc": "test/operator/trial_test.cc",
    "src/release/small_writes.cc": "test/release/apply_test.cc",
    "src/revision/record.cc": "test/revision/revision_test.cc",
    "src/kube/list_refs.cc": "test/e2e/test_diff.py",
    "src/health/condition_types.cc": "test/cmd/reference_test.cc",
    "src/resource/condition_list.cc": "test/resource/cr_status_test.cc",
    "src/resource/engine_conditions.cc": "test/resource/cr_status_test.cc",
    "src/resource/status_size.cc": "test/operator/live_resource_test.cc",
    "src/subject/children.cc": "test/operator/children_test.cc",
    "src/subject/cluster_view.cc": "test/operator/cluster_view_test.cc",
    "src/subject/causes.cc": "test/operator/causes_test.cc",
    "src/subject/child_states.cc": "test/operator/live_resource_test.cc",
    "src/subject/external_copy.cc": "test/operator/externals_test.cc",
    "src/pki/pem.cc": "test/helm/funcs/certificates_test.cc",
    "src/pki/rsa.cc": "test/helm/funcs/certificates_test.cc",
    "src/runtime/asio_listen.cc": "test/runtime/http_server_test.cc",
    "src/runtime/asio_session.cc": "test/runtime/http_server_test.cc",
    "src/runtime/http_message.cc": "test/runtime/http_server_test.cc",
    # The judgement of one custom resource, in a world that only the operator can make.
    "src/subject/input_digests.cc": "test/operator/input_digests_test.cc",
    "src/subject/live_resource.cc": "test/operator/live_resource_test.cc",
    "src/subject/news.cc": "test/operator/news_test.cc",
    "src/subject/records.cc": "test/operator/records_test.cc",
    "src/subject/render_queue.cc": "test/operator/costly_render_test.cc",
    "src/subject/verdicts.cc": "test/operator/verdicts_test.cc",
    "src/suite/*.cc": "test/suite/chart_tests_test.cc",
    "src/suite/paths/path_parser.cc": "test/suite/chart_tests_test.cc",
    "src/suite/results/results_file.cc": "test/suite/chart_tests_test.cc",
    "src/suite/results/results_json.cc": "test/suite/chart_tests_test.cc",
    "src/suite/results/suite_report.cc": "test/suite/chart_tests_test.cc",
    "src/suite/results/tally.cc": "test/suite/chart_tests_test.cc",
    "src/tmpl/*.cc": "test/tmpl/cases_test.cc",
    "src/views/view_writer.cc": "test/e2e/test_farm.py",
}

# Functions that have more parameters than others may: file and name, and why.
_SPRIG = "its parameters are those of the function of Sprig, which the table binds one by one"
MANY_PARAMETERS = {
    "src/helm/funcs/certificates.cc: gen_self_signed_with_key": _SPRIG,
    "src/helm/funcs/certificates.cc: gen_signed": _SPRIG,
    "src/helm/funcs/certificates.cc: gen_signed_with_key": _SPRIG,
    "src/helm/funcs/crypto.cc: derive_password": _SPRIG,
}

# Variables that live as long as the process or a thread, and can change: file and name, and why
# nobody can be given them.
_ALLOCATION = "operator new, which charges it, is given nothing"
_SETTINGS = "jemalloc looks it up by this name"
_DESTRUCTOR = "a destructor is given nothing"
MUTABLE_GLOBALS = {
    "src/base/memory_limit.cc: account": _ALLOCATION,
    "src/base/schedule.h: of_thread": "says of each thread whether a test decides when it runs",
    "src/cmd/allocator.cc: malloc_conf": _SETTINGS,
    "src/kube/object_json.cc: parser": (
        "buffers that a thread uses again, with nothing in them that a call leaves for the next"
    ),
    "src/value/value.cc: aside": _DESTRUCTOR,
    "src/value/value.cc: nested": _DESTRUCTOR,
    "test/fuzz/heap_peak.cc: account": _ALLOCATION,
    "test/fuzz/release.cc: all": "libFuzzer calls a function with an input alone",
}
