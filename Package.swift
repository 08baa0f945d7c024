// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
/// Rounding is in there, and nothing else asks the linker for it in a program that has only Timers.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

/// Modules that the tests of the whole daemon access.
let daemon: [Target.Dependency] = [
    "BuiltInFlows", "Cluster", "Commands", "Console", "Devices", "Diagrams", "EventLoop", "GameDaemon", "GameFlow", "Journal",
    "JSON", "Logging", "Memory", "Network", "Posix", "RESP", "Sessions", "Simulation", "SQLiteStore", "Store", "Systemd",
    "Texts",
    "Timers",
]

let package = Package(
    name: "gamed",
    products: [
        .library(name: "Timers", targets: ["Timers"]),
        .library(name: "GameFlow", targets: ["GameFlow"]),
        .library(name: "GameDaemon", targets: ["GameDaemon"]),
        .library(name: "GamedClient", targets: ["GamedClient"]),
        // Flows to play with and to read; the libraries are the four above.
        .library(name: "BuiltInFlows", targets: ["BuiltInFlows"]),
        .executable(name: "gamed", targets: ["gamed"]),
        .executable(name: "gamectl", targets: ["gamectl"]),
    ],
    targets: [
        // C libraries, as Swift sees them.
        .systemLibrary(name: "CEvent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "CTrap"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CPostgres"),

        // Computing: no input or output, no threads.
        .systemLibrary(name: "CLuaLibrary", pkgConfig: "lua5.4", providers: [.apt(["liblua5.4-dev"])]),
        .target(name: "CLua", dependencies: ["CLuaLibrary"]),
        .target(name: "CFiles"),
        module("Memory"),
        module("Texts"),
        .target(name: "Timers", dependencies: ["Memory"], swiftSettings: strict, linkerSettings: mathematics),
        module("JSON", ["Texts"]),
        module("GameFlow", ["JSON", "Memory", "Texts", "Timers"]),
        module("BuiltInFlows", ["GameFlow", "Texts", "Timers"]),
        module(
            "Statecharts", ["CFiles", "CLua", "GameFlow", "JSON", "Memory", "Texts", "Timers"],
            excluding: ["Schema/flow.schema.json"]),
        module("Diagrams", ["GameFlow", "JSON", "Texts"]),
        module("RESP", ["JSON", "Memory", "Texts"]),
        module("Bluetooth", ["Texts"]),
        module("Cluster", ["Memory", "Timers"]),

        // Performing.
        module("Posix", ["CLinux", "Texts"]),
        module("Postgres", ["CLinux", "CPostgres", "Posix"]),
        module("Systemd", ["Posix", "Texts"]),
        module("Terminal", ["Posix"]),
        module("Logging", ["Posix", "Systemd", "Texts", "Timers"]),
        module("TLS", ["COpenSSL", "Posix", "Texts"]),
        module("EventLoop", ["CEvent", "CLinux", "COpenSSL", "Posix", "Timers", "TLS"]),
        module("Sessions", ["CLinux", "GameFlow", "Memory", "Texts", "Timers"]),
        // Failpoints let a test kill the process at a named place; a release has none.
        module("Store", ["Posix"], [.define("FAILPOINTS", .when(configuration: .debug))]),
        module("SQLiteStore", ["CSQLite", "Posix", "Store"]),
        module("PostgresStore", ["Cluster", "JSON", "Postgres", "Store"]),
        module(
            "Journal",
            [
                "Cluster", "CTrap", "EventLoop", "GameFlow", "Logging", "Memory", "Posix", "Sessions", "Store", "Texts",
                "Timers",
            ]),
        module(
            "Commands",
            ["Cluster", "Diagrams", "GameFlow", "Logging", "Memory", "Posix", "RESP", "Sessions", "Texts", "Timers", "TLS"]),
        module(
            "ClusterRuntime",
            [
                "Cluster", "Commands", "EventLoop", "GameFlow", "Journal", "Logging", "Posix", "RESP", "Sessions", "Store",
                "Timers",
            ]),
        module("Network", ["Commands", "EventLoop", "Logging", "Memory", "Posix", "RESP", "Sessions", "Timers"]),
        module("HTTP", ["CEvent", "EventLoop", "Logging", "Posix", "Timers", "TLS"]),
        module(
            "Console",
            [
                "Commands", "EventLoop", "GameFlow", "Logging", "Posix", "RESP", "Sessions", "Terminal", "Texts", "Timers",
            ]),
        module("Monitoring", ["Commands", "GameFlow", "JSON", "Posix", "Sessions", "Timers"]),
        module("Devices", ["Bluetooth", "Commands", "GameFlow", "Posix", "RESP", "Sessions", "Texts", "Timers"]),
        module("Client", ["GameFlow", "Posix", "RESP", "Terminal", "Texts", "Timers", "TLS"]),
        module("GamedClient", ["Client", "GameFlow", "JSON", "Posix", "RESP", "Texts", "TLS"]),
        module(
            "Simulation",
            [
                "BuiltInFlows", "Client", "Commands", "Diagrams", "Devices", "GameFlow", "Memory", "Posix", "RESP", "Sessions",
                "Statecharts", "Terminal", "Texts", "Timers",
            ]),
        .target(
            name: "Web",
            dependencies: [
                "CFiles", "Cluster", "Commands", "Diagrams", "EventLoop", "GameFlow", "HTTP", "Logging", "Memory", "Monitoring",
                "Posix", "RESP", "Sessions", "Simulation", "Texts", "Timers", "TLS",
            ],
            exclude: ["Page"], swiftSettings: strict),

        // Programs, and the libraries that they are thin faces of.
        module(
            "GameDaemon",
            [
                "BuiltInFlows", "Client", "Cluster", "ClusterRuntime", "Commands", "Console", "Devices", "Diagrams",
                "EventLoop", "GameFlow", "Journal", "Logging", "Memory", "Network", "Posix", "PostgresStore", "RESP",
                "Sessions", "Simulation", "SQLiteStore", "Statecharts", "Store", "Systemd", "Texts", "Timers", "TLS", "Web",
            ]),
        .executableTarget(name: "gamed", dependencies: ["GameDaemon"], swiftSettings: strict),
        module(
            "GameControl",
            ["CEdit", "Client", "Commands", "GameFlow", "GamedClient", "Posix", "RESP", "Terminal", "Texts", "Timers", "TLS"]),
        .executableTarget(name: "gamectl", dependencies: ["GameControl", "Simulation"], swiftSettings: strict),

        // Tests, and their shared modules.
        module("Seeds", at: "Tests/Seeds"),
        module("Slowness", at: "Tests/Slowness"),
        .executableTarget(name: "loop-probe", dependencies: ["Slowness"], path: "Tests/LoopProbe", swiftSettings: strict),
        module(
            "TestSupport", ["GameFlow", "RESP", "Statecharts", "Texts", "Timers"], at: "Tests/Support", excluding: ["Python"]),
        module("ClusterSimulation", ["Cluster", "Seeds", "Timers"], at: "Tests/ClusterSimulation"),
        .executableTarget(
            name: "cluster-sim", dependencies: ["ClusterSimulation", "Seeds"], path: "Tests/ClusterSim", swiftSettings: strict),
        module("MemoryStore", ["Store"], at: "Tests/MemoryStore"),
        module("PostgresServer", ["TestSupport"], at: "Tests/PostgresServer"),
        module("TinyJournal", ["SQLiteStore", "Store"], at: "Tests/TinyJournal"),
        .executableTarget(
            name: "store-probe", dependencies: ["Posix", "SQLiteStore", "Store", "TinyJournal"], path: "Tests/StoreProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "trap-probe",
            dependencies: ["BuiltInFlows", "EventLoop", "GameDaemon", "GameFlow", "Sessions", "TestSupport", "Timers"],
            path: "Tests/TrapProbe",
            swiftSettings: strict),
        .testTarget(name: "TextsTests", dependencies: ["Texts"], swiftSettings: strict),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal"], swiftSettings: strict),
        .testTarget(name: "PosixTests", dependencies: ["Posix", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "SystemdTests", dependencies: ["Posix", "Systemd", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "LoggingTests", dependencies: ["Logging", "Posix", "Systemd", "Timers"], swiftSettings: strict),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "Timers"], swiftSettings: strict),
        .testTarget(name: "NetworkTests", dependencies: ["Commands", "Logging", "Network", "Posix"], swiftSettings: strict),
        .testTarget(
            name: "ConsoleTests",
            dependencies: [
                "BuiltInFlows", "Commands", "Console", "GameFlow", "Posix", "Sessions", "Terminal", "Texts", "Timers",
            ],
            swiftSettings: strict),
        tests("Memory"),
        tests("Timers", ["TestSupport", "Texts"]),
        tests("JSON", ["Texts"]),
        tests("GameFlow", ["BuiltInFlows", "Slowness", "TestSupport", "Timers"]),
        tests("Statecharts", ["BuiltInFlows", "GameFlow", "JSON", "TestSupport", "Timers"]),
        tests("Diagrams", ["BuiltInFlows", "GameFlow", "JSON", "Statecharts", "TestSupport"]),
        tests("Bluetooth"),
        tests("RESP"),
        tests("Cluster", ["ClusterSimulation", "Timers"]),
        tests("Sessions", ["BuiltInFlows", "GameFlow", "Memory", "RESP", "TestSupport", "Texts", "Timers"]),
        tests(
            "Commands",
            [
                "BuiltInFlows", "Cluster", "GameFlow", "JSON", "Logging", "Memory", "Posix", "RESP", "Sessions", "Simulation",
                "TestSupport", "Texts", "Timers", "TLS",
            ]),
        tests("Devices", ["Bluetooth", "BuiltInFlows", "Commands", "GameFlow", "Logging", "RESP", "TestSupport", "Timers"]),
        .testTarget(
            name: "GameDaemonTests", dependencies: ["Seeds", "Statecharts", "TestSupport"] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "CEvent", "Cluster", "Commands", "EventLoop", "GameFlow", "HTTP", "Logging", "Memory", "Network", "Posix",
                "RESP", "Seeds", "Sessions", "TestSupport", "Timers", "Web",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonFuzzTests", dependencies: ["MemoryStore", "Seeds", "Slowness", "Statecharts", "TestSupport"] + daemon,
            path: "Fuzzing/Daemon",
            exclude: ["DaemonTarget.swift"], swiftSettings: strict),
        .testTarget(
            name: "ParserFuzzTests",
            dependencies: [
                "Bluetooth", "GameFlow", "JSON", "Memory", "RESP", "Seeds", "Slowness", "Statecharts", "TestSupport", "Texts",
            ],
            path: "Fuzzing/Parsers",
            exclude: ["ParserFuzzer.swift"], swiftSettings: strict),
        .testTarget(
            name: "MonitoringTests",
            dependencies: ["MemoryStore", "Monitoring", "Seeds", "TestSupport", "Web"] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: ["Posix", "Seeds", "SQLiteStore", "Store", "store-probe", "TestSupport", "TinyJournal"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "PostgresServer", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "Cluster", "JSON", "MemoryStore", "Postgres", "PostgresServer", "PostgresStore", "Seeds", "SQLiteStore",
                "Store", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ClusterRuntimeTests",
            dependencies: [
                "Cluster", "ClusterRuntime", "gamed", "PostgresServer", "RESP", "TestSupport", "Timers", "trap-probe",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "gamectl", "gamed", "loop-probe", "MemoryStore", "PostgresServer", "Seeds", "TestSupport", "trap-probe", "Web",
            ] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "BuiltInFlows", "Commands", "GameFlow", "RESP", "Seeds", "Sessions", "Simulation", "Statecharts", "TestSupport",
                "Texts", "Timers",
            ],
            swiftSettings: strict),
        tests(
            "GameControl",
            ["Client", "Commands", "GameFlow", "GamedClient", "Posix", "RESP", "Simulation", "Terminal", "Texts", "TLS"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Client", "gamectl", "gamed", "GamedClient", "loop-probe", "Posix", "PostgresServer", "RESP", "TestSupport",
                "trap-probe",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "gamed-bench",
            dependencies: ["CEvent", "CLinux", "Monitoring", "PostgresServer", "Statecharts", "TestSupport"] + daemon,
            path: "Benchmarks",
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// Tests spend most of their time in these modules: `scripts/swift` optimizes them in debug builds, too. `assert` is not checked in them then.
// Slowness is not: the tests' bounds are measured by how long its code takes. A target of tests writes no module, for which all its macros would be
// expanded once more (see `scripts/swift`). An expression that takes the compiler long gives a warning: one took two minutes.
if Context.environment["GAMED_OPTIMIZED"] != nil {
    let modules = [
        "Bluetooth", "Cluster", "ClusterSimulation", "Diagrams", "GameFlow", "JSON", "RESP", "Seeds", "Sessions", "SQLiteStore",
        "Statecharts", "Store", "TestSupport", "Texts", "Timers", "TinyJournal",
    ]
    for target in package.targets where target.type != .system {
        var options = ["-Xfrontend", "-warn-long-expression-type-checking=5000"]
        if target.type == .test { options.append("-no-emit-module-separately") }
        if modules.contains(target.name) { options += ["-O", "-whole-module-optimization", "-num-threads", "2"] }
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(options, .when(configuration: .debug))]
    }
}

/// One of our modules, with those that it needs.
func module(
    _ name: String, _ needs: [Target.Dependency] = [], _ settings: [SwiftSetting] = [], at path: String? = nil,
    excluding excluded: [String] = []
) -> Target {
    .target(name: name, dependencies: needs, path: path, exclude: excluded, swiftSettings: strict + settings)
}

/// The tests of a module.
func tests(_ name: String, _ needs: [Target.Dependency] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.byName(name: name), "Seeds"] + needs, swiftSettings: strict)
}
