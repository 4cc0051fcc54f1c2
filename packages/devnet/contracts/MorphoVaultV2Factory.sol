// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Expected, IBlue, MarketParams} from "./MorphoVault.sol";
import {IVaultAdapter, MorphoVaultV2} from "./MorphoVaultV2.sol";

interface IVaultV1 {
    function deposit(uint256 assets, address receiver) external returns (uint256);
    function withdraw(uint256 assets, address receiver, address owner) external returns (uint256);
    function previewRedeem(uint256 shares) external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
}

/// Puts assets of a vault into markets of Morpho Blue, named by their parameters in `data`.
contract MarketAdapter is IVaultAdapter {
    address public immutable parentVault;
    IBlue public immutable morpho;
    bytes32[] public marketIds;

    constructor(address parent, IBlue blue) {
        (parentVault, morpho) = (parent, blue);
        IERC20 asset = IERC20(MorphoVaultV2(parent).asset());
        asset.approve(parent, type(uint256).max);
        asset.approve(address(blue), type(uint256).max);
    }

    function allocate(bytes memory data, uint256 assets) external {
        require(msg.sender == parentVault);
        bytes32 id = keccak256(data);
        bool known = false;
        for (uint256 i = 0; i < marketIds.length; i++) known = known || marketIds[i] == id;
        if (!known) marketIds.push(id);
        morpho.supply(abi.decode(data, (MarketParams)), assets, 0, address(this), "");
    }

    function deallocate(bytes memory data, uint256 assets) external {
        require(msg.sender == parentVault);
        morpho.withdraw(abi.decode(data, (MarketParams)), assets, 0, address(this), address(this));
    }

    function realAssets() external view returns (uint256 real) {
        for (uint256 i = 0; i < marketIds.length; i++) {
            (uint256 assets,) = Expected.supplied(morpho, marketIds[i], address(this));
            real += assets;
        }
    }
}

/// Puts assets of a vault into a vault of the first version.
contract VaultAdapter is IVaultAdapter {
    address public immutable parentVault;
    address public immutable morphoVaultV1;

    constructor(address parent, address vault) {
        (parentVault, morphoVaultV1) = (parent, vault);
        IERC20 asset = IERC20(MorphoVaultV2(parent).asset());
        asset.approve(parent, type(uint256).max);
        asset.approve(vault, type(uint256).max);
    }

    function allocate(bytes memory, uint256 assets) external {
        require(msg.sender == parentVault);
        IVaultV1(morphoVaultV1).deposit(assets, address(this));
    }

    function deallocate(bytes memory, uint256 assets) external {
        require(msg.sender == parentVault);
        IVaultV1(morphoVaultV1).withdraw(assets, address(this), address(this));
    }

    function realAssets() external view returns (uint256) {
        return IVaultV1(morphoVaultV1).previewRedeem(IVaultV1(morphoVaultV1).balanceOf(address(this)));
    }
}

/// Makes vaults of the second version and their adapters for anyone, and says which it made. Morpho's own factories are
/// three: this one stands at the address of each.
contract MorphoVaultV2Factory {
    mapping(address => bool) public isVaultV2;
    mapping(address => bool) public isMorphoMarketV1AdapterV2;
    mapping(address => bool) public isMorphoVaultV1Adapter;

    event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2);

    function createVaultV2(address owner, address asset, bytes32 salt) external returns (address vault) {
        vault = address(new MorphoVaultV2{salt: salt}(owner, asset));
        isVaultV2[vault] = true;
        emit CreateVaultV2(owner, asset, salt, vault);
    }

    function createMarketAdapter(address parent, IBlue blue) external returns (address adapter) {
        adapter = address(new MarketAdapter(parent, blue));
        isMorphoMarketV1AdapterV2[adapter] = true;
    }

    function createVaultAdapter(address parent, address vault) external returns (address adapter) {
        adapter = address(new VaultAdapter(parent, vault));
        isMorphoVaultV1Adapter[adapter] = true;
    }
}
