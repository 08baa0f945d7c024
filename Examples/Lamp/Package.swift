// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Lamp",
    dependencies: [.package(name: "gamed", path: "../..")],
    targets: [
        .target(name: "Lamp", dependencies: [.product(name: "GameFlow", package: "gamed")]),
        .testTarget(name: "LampTests", dependencies: ["Lamp", .product(name: "GameFlow", package: "gamed")]),
    ]
)
