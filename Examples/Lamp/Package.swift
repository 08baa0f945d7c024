// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Lamp",
    dependencies: [.package(name: "gamed", path: "../.."), .package(path: "../Support")],
    targets: [
        .executableTarget(name: "lamp", dependencies: [.product(name: "GameDaemon", package: "gamed")]),
        .testTarget(name: "lampTests", dependencies: ["lamp", .product(name: "Programs", package: "Support")]),
    ],
    swiftLanguageModes: [.v6]
)
