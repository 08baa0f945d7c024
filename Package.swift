// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "gamed",
    products: [
        .library(name: "Timers", targets: ["Timers"]),
        .library(name: "GameFlow", targets: ["GameFlow"]),
        .library(name: "GameDaemon", targets: ["GameDaemon"]),
        .executable(name: "gamed", targets: ["gamed"]),
        .executable(name: "gamectl", targets: ["gamectl"]),
    ],
    targets: [
        .systemLibrary(name: "CEvent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        .target(name: "StandardStreams", swiftSettings: strict),
        .target(name: "CTrap"),
        .target(name: "Timers", swiftSettings: strict),
        .target(name: "GameFlow", dependencies: ["Timers"], swiftSettings: strict),
        .target(name: "RESP", swiftSettings: strict),
        .target(name: "Bluetooth", swiftSettings: strict),
        // Failpoints let a test kill the process at a named place; a release has none.
        .target(
            name: "JournalStore", dependencies: ["CSQLite"],
            swiftSettings: strict + [.define("FAILPOINTS", .when(configuration: .debug))]),
        .target(
            name: "GameDaemon",
            dependencies: ["CEvent", "CTrap", "StandardStreams", "Timers", "GameFlow", "RESP", "Bluetooth", "JournalStore"],
            swiftSettings: strict),
        .executableTarget(name: "gamed", dependencies: ["GameDaemon"], swiftSettings: strict),
        .target(
            name: "GameControl", dependencies: ["CEdit", "StandardStreams", "GameDaemon", "GameFlow", "RESP", "Timers"],
            swiftSettings: strict),
        .executableTarget(name: "gamectl", dependencies: ["GameControl"], swiftSettings: strict),

        .target(name: "Seeds", path: "Tests/Seeds", swiftSettings: strict),
        .testTarget(name: "TimersTests", dependencies: ["Timers", "Seeds"], swiftSettings: strict),
        .testTarget(name: "GameFlowTests", dependencies: ["GameFlow", "Timers", "Seeds"], swiftSettings: strict),
        .testTarget(name: "BluetoothTests", dependencies: ["Bluetooth", "Seeds"], swiftSettings: strict),
        .testTarget(name: "RESPTests", dependencies: ["RESP", "Seeds"], swiftSettings: strict),
        .testTarget(
            name: "GameDaemonTests", dependencies: ["GameDaemon", "GameFlow", "RESP", "Timers", "Bluetooth", "Seeds"],
            swiftSettings: strict),
        .target(name: "MemoryStore", dependencies: ["JournalStore"], path: "Tests/MemoryStore", swiftSettings: strict),
        .testTarget(
            name: "DaemonFuzzTests",
            dependencies: ["GameDaemon", "GameFlow", "JournalStore", "MemoryStore", "RESP", "Timers", "Seeds"],
            path: "Fuzzing/Daemon", exclude: ["DaemonTarget.swift"], swiftSettings: strict),
        .target(name: "TinyJournal", dependencies: ["JournalStore"], path: "Tests/TinyJournal", swiftSettings: strict),
        .executableTarget(
            name: "store-probe", dependencies: ["StandardStreams", "JournalStore", "TinyJournal"], path: "Tests/StoreProbe",
            swiftSettings: strict),
        .testTarget(
            name: "JournalStoreTests", dependencies: ["JournalStore", "MemoryStore", "TinyJournal", "Seeds", "store-probe"],
            swiftSettings: strict),
        .executableTarget(
            name: "trap-probe", dependencies: ["GameDaemon", "GameFlow", "Timers"], path: "Tests/TrapProbe",
            swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "gamed", "gamectl", "trap-probe", "GameDaemon", "GameFlow", "JournalStore", "RESP", "Timers", "Seeds",
            ],
            swiftSettings: strict),
        .testTarget(name: "ScenarioTests", dependencies: ["GameDaemon", "RESP"], swiftSettings: strict),
        .testTarget(
            name: "GameControlTests", dependencies: ["GameControl", "GameDaemon", "GameFlow", "RESP"], swiftSettings: strict),
        .testTarget(name: "EndToEndTests", dependencies: ["gamed", "gamectl"], swiftSettings: strict),
        .executableTarget(
            name: "gamed-bench",
            dependencies: ["CEvent", "StandardStreams", "Timers", "GameFlow", "GameDaemon", "JournalStore"],
            path: "Benchmarks",
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
