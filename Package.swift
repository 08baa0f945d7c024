// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
/// Rounding is in there, and nothing else asks the linker for it in a program that has only Timers.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

/// What the tests of the whole daemon look into.
let daemon: [Target.Dependency] = [
    "Bluetooth", "BuiltInFlows", "Cluster", "Commands", "Console", "Crypto", "Devices", "Diagrams", "EventLoop", "GameDaemon",
    "GameFlow",
    "JSON",
    "Journal",
    "Installation", "Logging", "Memory", "Network", "Posix", "RESP", "Rehearsal", "ReplyJSON", "Sessions", "SQLiteStore",
    "Store",
    "Systemd", "Texts", "Timers",
]

let package = Package(
    name: "gamed",
    products: [
        .library(name: "Timers", targets: ["Timers"]),
        .library(name: "GameFlow", targets: ["GameFlow"]),
        .library(name: "GameDaemon", targets: ["GameDaemon"]),
        // Flows to play with and to read; the libraries are the three above.
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
        .target(name: "CSystemd"),
        .target(name: "CTLS"),
        .target(name: "CCrypto"),
        .target(name: "CPostgres"),

        // Computing: no input or output, no threads.
        .systemLibrary(name: "CLuaLibrary", pkgConfig: "lua5.4", providers: [.apt(["liblua5.4-dev"])]),
        .target(name: "CLua", dependencies: ["CLuaLibrary"]),
        module("Memory"),
        module("Texts"),
        .target(name: "Timers", dependencies: ["Memory"], swiftSettings: strict, linkerSettings: mathematics),
        module("JSON", ["Texts"]),
        module("GameFlow", ["JSON", "Memory", "Texts", "Timers"]),
        module("BuiltInFlows", ["GameFlow", "Texts", "Timers"]),
        module("Charts", ["CLua", "GameFlow", "JSON", "Memory", "Texts", "Timers"]),
        module("Diagrams", ["GameFlow", "JSON", "Texts"]),
        module("RESP", ["Memory", "Texts"]),
        module("Bluetooth", ["Texts"]),
        module("ReplyJSON", ["JSON", "RESP", "Texts"]),
        module("Metrics", ["Timers"]),
        module("Cluster", ["Timers"]),

        // Performing.
        module("Crypto", ["CCrypto"]),
        module("Posix", ["CLinux", "Texts"]),
        module("Postgres", ["CLinux", "CPostgres"]),
        module("Systemd", ["CSystemd", "Posix", "Texts"]),
        module("Installation", ["Posix"]),
        module("Terminal", ["Posix"]),
        module("Logging", ["Posix", "Systemd", "Texts", "Timers"]),
        module("EventLoop", ["CEvent", "CLinux", "Posix", "Timers"]),
        module("TLS", ["CTLS", "Posix"]),
        module("SecureStreams", ["CEvent", "CTLS", "Crypto", "EventLoop", "TLS"]),
        module("Sessions", ["CLinux", "GameFlow", "Memory", "Texts", "Timers"]),
        // Failpoints let a test kill the process at a named place; a release has none.
        module("Store", ["Posix"], [.define("FAILPOINTS", .when(configuration: .debug))]),
        module("SQLiteStore", ["CSQLite", "Posix", "Store"]),
        module("PostgresStore", ["Cluster", "JSON", "Postgres", "Store"]),
        module(
            "Journal",
            [
                "CTrap", "Cluster", "EventLoop", "GameFlow", "Logging", "Memory", "Posix", "RESP", "Sessions", "Store", "Texts",
                "Timers",
            ]),
        module(
            "Commands",
            [
                "Cluster", "Crypto", "Diagrams", "GameFlow", "Installation", "Logging", "Memory", "Posix", "RESP", "Sessions",
                "Texts", "Timers",
            ]),
        module(
            "Nodes",
            [
                "Cluster", "Commands", "EventLoop", "GameFlow", "Journal", "Logging", "Posix", "RESP", "Sessions", "Store",
                "Timers",
            ]),
        module(
            "Network",
            [
                "Commands", "EventLoop", "Installation", "Logging", "Memory", "Posix", "RESP", "SecureStreams", "Sessions",
                "Timers",
            ]),
        module("HTTPClient", ["CEvent", "EventLoop", "Posix", "SecureStreams", "TLS", "Timers"]),
        module("HTTP", ["CEvent", "EventLoop", "Logging", "Posix", "SecureStreams", "Timers"]),
        module(
            "Console",
            [
                "Commands", "EventLoop", "GameFlow", "Logging", "Memory", "Posix", "RESP", "Sessions", "Terminal", "Texts",
                "Timers",
            ]),
        module(
            "Monitoring", ["Commands", "GameFlow", "Installation", "JSON", "Metrics", "Posix", "Sessions", "Timers"]),
        module("Devices", ["Bluetooth", "Commands", "GameFlow", "Posix", "RESP", "ReplyJSON", "Sessions", "Texts", "Timers"]),
        module(
            "Rehearsal",
            [
                "BuiltInFlows", "Charts", "Commands", "Devices", "GameFlow", "Memory", "Posix", "RESP", "ReplyJSON", "Sessions",
                "Texts", "Timers",
            ]),
        .target(
            name: "Web",
            dependencies: [
                "Cluster", "Commands", "Crypto", "Diagrams", "EventLoop", "GameFlow", "HTTP", "HTTPClient", "Installation",
                "Logging", "Memory", "Metrics", "Monitoring", "Posix", "RESP", "Rehearsal",
                "ReplyJSON", "SecureStreams", "Sessions", "TLS", "Texts", "Timers",
            ],
            resources: [.embedInCode("Page")], swiftSettings: strict),
        module("GameClient", ["GameFlow", "Installation", "Posix", "ReplyJSON", "RESP", "TLS", "Terminal", "Texts", "Timers"]),
        module(
            "GameRehearsal",
            [
                "Charts", "Diagrams", "GameClient", "GameFlow", "Installation", "Posix", "Rehearsal", "ReplyJSON",
                "Terminal",
                "Texts",
            ]),

        // Programs, and the libraries that they are thin faces of.
        module(
            "GameDaemon",
            [
                "BuiltInFlows", "Charts", "Cluster", "Commands", "Console", "Devices", "Diagrams", "EventLoop", "GameClient",
                "GameFlow",
                "GameRehearsal",
                "Installation", "Journal", "Logging", "Memory", "Network", "Nodes", "Posix", "PostgresStore", "Rehearsal",
                "RESP", "Sessions",
                "SQLiteStore", "SecureStreams",
                "Store", "Systemd", "TLS", "Texts", "Timers", "Web",
            ]),
        .executableTarget(name: "gamed", dependencies: ["GameDaemon"], swiftSettings: strict),
        module(
            "GameControl",
            [
                "CEdit", "Commands", "Crypto", "GameClient", "GameFlow", "Installation", "Posix", "ReplyJSON", "RESP",
                "Terminal",
                "Texts",
                "Timers",
            ]),
        .executableTarget(name: "gamectl", dependencies: ["GameControl", "GameRehearsal", "Rehearsal"], swiftSettings: strict),

        // Tests, and what they share.
        module("Seeds", at: "Tests/Seeds"),
        module("Slowness", at: "Tests/Slowness"),
        .executableTarget(name: "loop-probe", dependencies: ["Slowness"], path: "Tests/LoopProbe", swiftSettings: strict),
        module("TestSupport", ["GameFlow", "RESP", "Texts", "Timers"], at: "Tests/Support"),
        module("ClusterSimulation", ["Cluster", "Seeds", "Timers"], at: "Tests/ClusterSimulation"),
        .executableTarget(
            name: "cluster-sim", dependencies: ["ClusterSimulation", "Seeds"], path: "Tests/ClusterSim", swiftSettings: strict),
        module("MemoryStore", ["Store"], at: "Tests/MemoryStore"),
        module("PostgresServer", ["TestSupport"], at: "Tests/PostgresServer"),
        module("TinyJournal", ["Store", "SQLiteStore"], at: "Tests/TinyJournal"),
        .executableTarget(
            name: "store-probe", dependencies: ["Posix", "Store", "SQLiteStore", "TinyJournal"], path: "Tests/StoreProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "trap-probe",
            dependencies: ["BuiltInFlows", "EventLoop", "GameDaemon", "GameFlow", "Sessions", "TestSupport", "Timers"],
            path: "Tests/TrapProbe",
            swiftSettings: strict),
        .testTarget(name: "TextsTests", dependencies: ["Texts"], swiftSettings: strict),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal"], swiftSettings: strict),
        .testTarget(name: "SystemdTests", dependencies: ["Posix", "Systemd", "TestSupport"], swiftSettings: strict),
        tests("Memory"),
        tests("Timers", ["Texts"]),
        tests("JSON", ["Texts"]),
        tests("GameFlow", ["BuiltInFlows", "Timers"]),
        tests("Charts", ["BuiltInFlows", "GameFlow", "JSON", "TestSupport", "Timers"]),
        tests("Diagrams", ["BuiltInFlows", "Charts", "GameFlow", "JSON", "TestSupport"]),
        tests("Bluetooth"),
        tests("RESP"),
        tests("Cluster", ["ClusterSimulation", "Timers"]),
        .testTarget(
            name: "GameDaemonTests", dependencies: ["Charts", "Seeds", "Terminal", "TestSupport"] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Cluster", "Commands", "EventLoop", "GameFlow", "HTTP", "HTTPClient", "Memory", "RESP", "Seeds", "TestSupport",
                "Timers", "Web",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonFuzzTests", dependencies: ["Charts", "Seeds", "MemoryStore", "Slowness"] + daemon,
            path: "Fuzzing/Daemon",
            exclude: ["DaemonTarget.swift"], swiftSettings: strict),
        .testTarget(
            name: "MonitoringTests",
            dependencies: ["Charts", "MemoryStore", "Metrics", "Monitoring", "Seeds", "TestSupport"] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "Posix", "SQLiteStore", "Store", "TinyJournal", "Seeds", "TestSupport", "store-probe",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "PostgresServer", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "Cluster", "JSON", "MemoryStore", "Postgres", "PostgresServer", "PostgresStore", "SQLiteStore", "Seeds",
                "Store",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "NodeTests",
            dependencies: ["gamed", "trap-probe", "MemoryStore", "PostgresServer", "Seeds", "TestSupport"] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "gamed", "gamectl", "loop-probe", "trap-probe", "Charts", "MemoryStore", "PostgresServer", "Seeds",
                "TestSupport",
                "Web",
            ] + daemon,
            swiftSettings: strict),
        .testTarget(
            name: "ScenarioTests", dependencies: ["GameFlow", "Rehearsal", "RESP", "TestSupport", "Texts", "Timers"],
            swiftSettings: strict),
        tests(
            "GameControl",
            ["Commands", "GameClient", "GameFlow", "GameRehearsal", "Posix", "Rehearsal", "RESP", "Terminal", "Texts"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["gamed", "gamectl", "loop-probe", "trap-probe", "PostgresServer", "TestSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "gamed-bench",
            dependencies: ["CEvent", "CLinux", "Charts", "Monitoring", "PostgresServer", "TestSupport"] + daemon,
            path: "Benchmarks",
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

/// One of our modules, with those that it needs.
func module(
    _ name: String, _ needs: [Target.Dependency] = [], _ settings: [SwiftSetting] = [], at path: String? = nil
) -> Target {
    .target(name: name, dependencies: needs, path: path, swiftSettings: strict + settings)
}

/// The tests of a module.
func tests(_ name: String, _ needs: [Target.Dependency] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.byName(name: name), "Seeds"] + needs, swiftSettings: strict)
}
