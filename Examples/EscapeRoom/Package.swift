// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "EscapeRoom",
    dependencies: [.package(name: "gamed", path: "../.."), .package(path: "../Support")],
    targets: [
        .executableTarget(name: "venue", dependencies: [.product(name: "GameDaemon", package: "gamed")]),
        .testTarget(name: "venueTests", dependencies: ["venue", .product(name: "Programs", package: "Support")]),
    ],
    swiftLanguageModes: [.v6]
)
