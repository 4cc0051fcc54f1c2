// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {FluidVault} from "./FluidVault.sol";

/// Fluid's factory of vaults, which is the NFT of their positions: listed by owner, each with the number of its vault.
contract FluidVaultFactory {
    // The fourth slot is Fluid's for NFTs: owner, index and vault in one word.
    uint256[3] private before;
    mapping(uint256 id => uint256) private tokenConfig;
    mapping(address owner => uint256[]) private tokensOf;
    uint256 public totalSupply;
    uint256 public totalVaults;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event NewPositionMinted(address indexed vault, address indexed user, uint256 indexed tokenId);

    function readFromStorage(bytes32 slot) external view returns (uint256 found) {
        assembly ("memory-safe") {
            found := sload(slot)
        }
    }

    function deployVault(FluidVault.Setup calldata setup) external {
        new FluidVault(++totalVaults, setup);
    }

    /// By the number of the creation.
    function getVaultAddress(uint256 vaultId) public view returns (address) {
        require(vaultId > 0 && vaultId < 0x80, "too many for this one");
        bytes32 hash = keccak256(abi.encodePacked(uint16(0xd694), address(this), uint8(vaultId)));
        return address(uint160(uint256(hash)));
    }

    function mint(uint256 vaultId, address owner) external returns (uint256 id) {
        require(msg.sender == getVaultAddress(vaultId), "not a vault");
        id = ++totalSupply;
        add(owner, id, vaultId);
        emit NewPositionMinted(msg.sender, owner, id);
        emit Transfer(address(0), owner, id);
    }

    function ownerOf(uint256 id) public view returns (address) {
        return address(uint160(tokenConfig[id]));
    }

    function balanceOf(address owner) external view returns (uint256) {
        return tokensOf[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return tokensOf[owner][index];
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(from == msg.sender && ownerOf(id) == from, "not yours");
        uint256[] storage own = tokensOf[from];
        for (uint256 i = 0; i < own.length; i++) {
            if (own[i] == id) own[i] = own[own.length - 1];
        }
        own.pop();
        add(to, id, tokenConfig[id] >> 192);
        emit Transfer(from, to, id);
    }

    function add(address owner, uint256 id, uint256 vaultId) private {
        tokensOf[owner].push(id);
        tokenConfig[id] = uint256(uint160(owner)) | (tokensOf[owner].length << 160) | (vaultId << 192);
    }
}
